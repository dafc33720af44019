/** A live process that lets one person do what two should is on the record: whoever has the machine can start one and end it again. */
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { Queryable } from '../db/database.ts'
import { actAs } from '../operators/acting.ts'
import { appendAudit } from './audit.sql.ts'

type Deps = { db: Queryable; logger: Logger; config: Pick<Config, 'environment' | 'fourEyes'> }

/**
 * To be awaited before anybody is answered.
 * @param origin from where, as far as the machine knows: its name and the user's
 */
export async function recordWithoutFourEyes({ db, logger, config }: Deps, origin: string): Promise<void> {
  if (config.fourEyes || config.environment !== 'live') return
  await actAs({ actor: 'service', origin }, () =>
    appendAudit(db, { action: 'service.without-four-eyes', target: null }),
  )
  logger.warn('nothing waits for a second person here: FOUR_EYES is off')
}
