/** Reads long answers of nodes as far as they have no more parts than such an answer can have. */

/** Of logs and transactions each part, as between two commas, has some sixty bytes on average; the shortest ones have about thirty. */
const BYTES_A_PART = 16
/** Of a short answer this does not matter. */
const MOST_OF_ANY = 64 * 1024

/** What begins a part of a JSON text. */
const [COMMA, BRACKET, BRACE] = [0x2c, 0x5b, 0x7b]

/**
 * Counts the parts of an answer as it comes. As empty lists, or as one list nested millions deep, sixteen megabytes of JSON occupied the process for
 * seconds, and took half a gigabyte of its memory: one node that lies would have it killed.
 * @returns whether the answer has few enough with one more piece of it
 */
export function countParts(): (piece: Uint8Array) => boolean {
  let bytes = 0
  let parts = 0
  return (piece) => {
    bytes += piece.length
    for (const byte of piece) if (byte === COMMA || byte === BRACKET || byte === BRACE) parts += 1
    return parts <= MOST_OF_ANY + bytes / BYTES_A_PART
  }
}
