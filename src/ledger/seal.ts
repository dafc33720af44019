/** The chain of hashes over the books (pure): whoever changes, removes or inserts an entry breaks it from there on. */
import { createHash } from 'node:crypto'

/** An entry exactly as it is stored; instants are UTC with microseconds, because a seal covers every digit. */
export type SealedContent = {
  entryId: bigint
  reference: string
  effectiveAt: string
  recordedAt: string
  day: string
  accounts: readonly string[]
  amountsMicro: readonly string[]
}

/** A place in the chain. `hash` is 64 hex digits. */
export type Seal = { position: bigint; hash: string }

/** Where the chain begins. */
export const GENESIS: Seal = { position: 0n, hash: '0'.repeat(64) }

/** The seal of the entry that follows `previous`: SHA-256 over its hash, the position and the entry's fields as JSON. */
export function sealAfter(previous: Seal, entry: SealedContent): Seal {
  const position = previous.position + 1n
  const { entryId, reference, effectiveAt, recordedAt, day, accounts, amountsMicro } = entry
  const fields = [String(position), String(entryId), reference, effectiveAt, recordedAt, day, accounts, amountsMicro]
  const hash = createHash('sha256').update(previous.hash).update(JSON.stringify(fields)).digest('hex')
  return { position, hash }
}

const HEAD = /^(\d{1,18}):([0-9a-f]{64})$/

/** A seal as the log shows it and `ledger verify --head` takes it: `position:hash`. */
export function formatHead({ position, hash }: Seal): string {
  return `${position}:${hash}`
}

/** Reads a head; undefined when the text is none. */
export function readHead(text: string): Seal | undefined {
  const [, position, hash] = HEAD.exec(text) ?? []
  return position === undefined || hash === undefined ? undefined : { position: BigInt(position), hash }
}
