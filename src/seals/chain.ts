/** A chain of hashes over a log (pure): whoever changes, removes or inserts an entry breaks it from there on. */
import { createHash } from 'node:crypto'

/** A place in the chain. `hash` is 64 hex digits. */
export type Seal = { position: bigint; hash: string }

/** Where a chain begins. */
export const GENESIS: Seal = { position: 0n, hash: '0'.repeat(64) }

/** An entry exactly as it is stored; `fields` is everything that its seal covers, as plain JSON. */
export type SealedEntry = { entryId: bigint; fields: readonly unknown[] }

/** The seal of the entry that follows `previous`: SHA-256 over its hash, the position and the entry's fields as JSON. */
export function sealAfter(previous: Seal, { entryId, fields }: SealedEntry): Seal {
  const position = previous.position + 1n
  const covered = JSON.stringify([String(position), String(entryId), ...fields])
  const hash = createHash('sha256').update(previous.hash).update(covered).digest('hex')
  return { position, hash }
}

/** Whether both are the same place of the same chain. */
export function isSameSeal(one: Seal, other: Seal): boolean {
  return one.position === other.position && one.hash === other.hash
}

const HEAD = /^(\d{1,18}):([0-9a-f]{64})$/

/** A seal as the log shows it and `verify --head` takes it: `position:hash`. */
export function formatHead({ position, hash }: Seal): string {
  return `${position}:${hash}`
}

/** Reads a head; undefined when the text is none. */
export function readHead(text: string): Seal | undefined {
  const [, position, hash] = HEAD.exec(text) ?? []
  return position === undefined || hash === undefined ? undefined : { position: BigInt(position), hash }
}
