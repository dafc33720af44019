/** Says that a dump has brought events which no reader is shown. */
import type { Queryable } from '../db/database.ts'
import { areAhead } from './held-back.sql.ts'

const AHEAD =
  'partners are not shown events that a dump has brought from another server, whose transactions had higher numbers: raise those of this one (docs/OPERATIONS.md, "Backup and restore")'

/** Looks once, at the start. Nobody waits for it: a look that fails keeps no partner from being answered. */
export async function tellAhead({
  db,
  logger,
}: {
  db: Queryable
  logger: { fatal(message: string): void; warn(fields: object, message: string): void }
}): Promise<void> {
  try {
    if (await areAhead(db)) logger.fatal(AHEAD)
  } catch (error) {
    logger.warn({ err: error }, 'whether a dump has brought events of another server could not be looked at')
  }
}
