/** Logs once what keeps a process from using a folder of the bank, and once that it is over: the folder is looked at every few seconds, perhaps for hours. */
import { readFileError } from '../db/file-errors.ts'
import { ClocksApartError } from '../payment-files/one-time.ts'
import { OtherFolderError } from '../payment-files/right-folder.ts'

type Logger = { info(fields: object, message: string): void; error(fields: object, message: string): void }

type Trouble = { why: string; begins: string; ends: string }

const AWAY = {
  begins: 'the folder of the bank cannot be used; it is tried again, and said when it can be',
  ends: 'the folder of the bank can be used again',
}

/** By how much they differ may change with each look. */
const APART: Trouble = {
  why: 'clocks',
  begins:
    'no payment file is written while the clocks of the database and this process differ; it is tried again, and said when they do not',
  ends: 'the clocks of the database and this process agree again',
}

/**
 * Makes a round of work that says so.
 * @param round one that rejects where the folder cannot be used, or the clocks differ, having done the rest
 * @returns a round that resolves to `undefined` then. It rejects with whatever else went wrong
 */
export function watchFolder<T>(
  { folder, logger, loop }: { folder: string; logger: Logger; loop: string },
  round: () => Promise<T>,
): () => Promise<T | undefined> {
  let said: Trouble | undefined
  return async () => {
    try {
      const done = await round()
      if (said !== undefined) logger.info({ folder, loop }, said.ends)
      said = undefined
      return done
    } catch (error) {
      const trouble = troubleOf(error)
      if (trouble === undefined) throw error
      if (trouble.why !== said?.why) logger.error({ err: error, folder, loop }, trouble.begins)
      said = trouble
      return undefined
    }
  }
}

/** Undefined for any other error, such as that the disk of the embedded database is full: that one names no file. */
function troubleOf(error: unknown): Trouble | undefined {
  if (error instanceof ClocksApartError) return APART
  if (error instanceof OtherFolderError) return { why: error.message, ...AWAY }
  const trouble = readFileError(error)
  return trouble?.file === undefined ? undefined : { why: trouble.why, ...AWAY }
}
