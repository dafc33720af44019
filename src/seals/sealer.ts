/** The sealer: links the new entries of a log into its chain of hashes. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { formatHead, type Seal, type SealedEntry, sealAfter } from './chain.ts'
import type { SealedLog } from './sealed-log.ts'
import { trySealing } from './sealing.sql.ts'

const POLL_MS = 1_000
const AT_ONCE = 500

export type SealerDeps = { db: Database; logger: Logger; pollMs?: number }

/** Makes the sealer of this process. Several processes may each have one: one of them works at a time. */
export function createSealer<E extends SealedEntry>(
  log: SealedLog<E>,
  { db, logger, pollMs = POLL_MS }: SealerDeps,
): WorkLoop {
  return createWorkLoop({
    name: `sealer of ${log.name}`,
    logger,
    pollMs,
    async work() {
      const { head, sealed } = await sealLog(log, db, AT_ONCE)
      // Kept with the log, outside of the database, so that a chain whose end was cut off is found.
      if (sealed > 0) logger.info({ head: formatHead(head), sealed }, log.sentence)
      return sealed === AT_ONCE
    },
  })
}

/** Seals at most `limit` entries. @returns the newest seal, and how many entries it took; none while another seals */
export function sealLog<E extends SealedEntry>(
  log: SealedLog<E>,
  db: Database,
  limit: number,
): Promise<{ head: Seal; sealed: number }> {
  return db.transaction(async (tx) => {
    const alone = await trySealing(tx, log.lock)
    let head = await log.readNewest(tx)
    const entries = alone ? await log.readUnsealed(tx, limit) : []
    const seals = entries
      .filter(({ isSealed }) => !isSealed)
      .map((entry) => {
        head = sealAfter(head, entry)
        return { ...head, entryId: entry.entryId }
      })
    const entryIds = entries.map(({ entryId }) => entryId)
    if (entries.length > 0) await log.store(tx, seals, entryIds)
    return { head, sealed: entries.length }
  })
}
