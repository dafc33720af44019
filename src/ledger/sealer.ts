/** The sealer: links new journal entries into the chain of hashes, and keeps the totals. */
import type { Logger } from 'pino'
import type { Database } from '../db/database.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import { formatHead, type Seal, sealAfter } from './seal.ts'
import { readNewestSeal, readUnsealed, storeSeals, trySealing } from './seals.sql.ts'

const POLL_MS = 1_000
const AT_ONCE = 500

export type SealerDeps = { db: Database; logger: Logger; pollMs?: number }

/** Makes the sealer of this process. Several processes may each have one: one of them works at a time. */
export function createSealer({ db, logger, pollMs = POLL_MS }: SealerDeps): WorkLoop {
  return createWorkLoop({
    name: 'sealer',
    logger,
    pollMs,
    async work() {
      const { head, sealed } = await sealOnce(db, AT_ONCE)
      // Kept with the log, outside of the database, so that a chain whose end was cut off is found.
      if (sealed > 0) logger.info({ head: formatHead(head), sealed }, 'the books were sealed')
      return sealed === AT_ONCE
    },
  })
}

/** Seals at most `limit` entries. @returns the newest seal, and how many entries it took; none while another seals */
export function sealOnce(db: Database, limit: number): Promise<{ head: Seal; sealed: number }> {
  return db.transaction(async (tx) => {
    const alone = await trySealing(tx)
    let head = await readNewestSeal(tx)
    const entries = alone ? await readUnsealed(tx, limit) : []
    const seals = entries.map((entry) => {
      head = sealAfter(head, entry)
      return { ...head, entryId: entry.entryId }
    })
    if (seals.length > 0) await storeSeals(tx, seals)
    return { head, sealed: seals.length }
  })
}
