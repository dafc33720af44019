/** What keeps a process from using the bank's folder, as whoever runs a command reads it. */
import type { Queryable } from '../db/database.ts'
import { readFileError } from '../db/file-errors.ts'
import { ClocksApartError } from '../payment-files/one-time.ts'
import { OtherFolderError } from '../payment-files/right-folder.ts'
import { lockUnopened, type Unopened } from '../payment-files/withdraw-unopened.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'

/** Why the bank's folder cannot be used is for whoever runs the command to mend: it is one of the settings, so its path may be said. */
export async function inFolder<T>(work: Promise<T>): Promise<T> {
  return await work.catch((error: unknown) => {
    if (error instanceof OtherFolderError || error instanceof ClocksApartError)
      throw new OperatorError('CONFLICT', error.message)
    const trouble = readFileError(error)
    if (trouble === undefined) throw error
    throw new OperatorError(
      'SERVICE_UNAVAILABLE',
      `${trouble.file ?? 'The folder of the BANK_PROFILE'} cannot be used: ${trouble.why}. Put that right and run the command again: what waits is put out once.`,
    )
  })
}

/** See `lockUnopened`. @throws OperatorError where the folder does not show what went out */
export async function lockUnopenedHere(
  tx: Queryable,
  { secrets, paymentFiles }: Pick<OperatorDeps, 'secrets' | 'paymentFiles'>,
): Promise<Unopened[]> {
  return await inFolder(lockUnopened(tx, { secrets, place: paymentFiles?.place }))
}

/** Why it cannot be seen what lies there: whoever only reads what was asked for is told that, too. */
export function saidInstead(error: unknown): string {
  if (error instanceof OperatorError) return error.message
  throw error
}
