/** What a room provides so that its log can be sealed and verified. Its tables stay its own. */
import type { Queryable } from '../db/database.ts'
import type { Seal, SealedEntry } from './chain.ts'

/** A stored seal, and its entry as it is now; `entry` is undefined when it is gone. */
export type StoredSeal<Entry extends SealedEntry> = Seal & { entryId: bigint; entry: Entry | undefined }

/** What waits for its seal; `isSealed`: it has one, which was written past the service at the same time, and gets no other. */
export type Unsealed<Entry extends SealedEntry> = Entry & { isSealed: boolean }

export type InsertedRange = { after: bigint | null; until: bigint; limit: number }
/** `last`: null where there was no entry any more. */
export type InsertedStep = { last: bigint | null; inserted: bigint | null }

export type SealedLog<Entry extends SealedEntry = SealedEntry> = {
  /** Of its sealer, in the service's log. */
  name: string
  /** What the service's log says with each head: the books were sealed. */
  sentence: string
  /** The advisory lock under which one process seals at a time. */
  lock: number
  /** The newest seal, or where the chain begins. */
  readNewest(db: Queryable): Promise<Seal>
  /** The oldest entries that wait for their seal, at most `limit`. */
  readUnsealed(tx: Queryable, limit: number): Promise<Unsealed<Entry>[]>
  /** Stores seals, and takes entries out of those that wait: theirs, and those that were sealed before. */
  store(tx: Queryable, seals: readonly (Seal & { entryId: bigint })[], entryIds: readonly bigint[]): Promise<void>
  /** The seals after a position up to `until`, at most `limit`. */
  readSeals(db: Queryable, range: { after: bigint; until: bigint; limit: number }): Promise<StoredSeal<Entry>[]>
  /** The highest number of an entry, and how many there are. */
  count(db: Queryable): Promise<{ highest: bigint; entries: bigint }>
  /**
   * Of the entries after a number up to `until`, at most `limit`: the last, and the first that has neither a seal nor waits for one: somebody put it
   * there past the service. `after`: null from the beginning, because whoever does so chooses the number, too.
   */
  findInserted(db: Queryable, range: InsertedRange): Promise<InsertedStep>
}
