/** A folder of the bank that cannot be used is said once, and once that it can be again: it is looked at every few seconds, for hours perhaps. */
import { readFileError } from '../db/file-errors.ts'
import { OtherFolderError } from '../payment-files/right-folder.ts'

type Logger = { info(fields: object, message: string): void; error(fields: object, message: string): void }

/**
 * Makes a round of work that says so.
 * @param round one that rejects where the folder cannot be used, having done the rest
 * @returns a round that resolves to `undefined` then. It rejects with whatever else went wrong
 */
export function watchFolder<T>(
  { folder, logger, loop }: { folder: string; logger: Logger; loop: string },
  round: () => Promise<T>,
): () => Promise<T | undefined> {
  let said: string | undefined
  return async () => {
    try {
      const done = await round()
      if (said !== undefined) logger.info({ folder, loop }, 'the folder of the bank can be used again')
      said = undefined
      return done
    } catch (error) {
      const why = whyAway(error)
      if (why === undefined) throw error
      if (why !== said)
        logger.error(
          { err: error, folder, loop },
          'the folder of the bank cannot be used; it is tried again, and said when it can be',
        )
      said = why
      return undefined
    }
  }
}

/** Undefined of anything else: the embedded database's disk may be full, too, and says of no file that it is. */
function whyAway(error: unknown): string | undefined {
  if (error instanceof OtherFolderError) return error.message
  const trouble = readFileError(error)
  return trouble?.file === undefined ? undefined : trouble.why
}
