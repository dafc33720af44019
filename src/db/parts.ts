/** What is looked for in a table that may be long is looked for in parts of it, so that no statement takes long. */

/** No id of the database is less. */
const LEAST = -(2n ** 63n)

/** Both ends belong to it. */
export type Part = { from: bigint; to: bigint }

/**
 * The ids before one in parts, newest first, each a range of at most `atOnce` numbers. Each part begins with an id that there is: a row that somebody has
 * put far from all others, past the service, is found without going through all the numbers in between.
 * @param newestBefore the newest id before another, or of all
 */
export async function* partsBefore(
  before: bigint | undefined,
  atOnce: bigint,
  newestBefore: (id: bigint | null) => Promise<bigint | undefined>,
): AsyncGenerator<Part> {
  for (let to = await newestBefore(before ?? null); to !== undefined; ) {
    const from = to - atOnce < LEAST ? LEAST : to - atOnce + 1n
    yield { from, to }
    to = await newestBefore(from)
  }
}
