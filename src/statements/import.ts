/** Bank files from an operator's hand or from the transport's folder, through the same door. */
import * as fs from 'node:fs/promises'
import { contentHashOf } from '../bank-files/definitions.ts'
import {
  INCOMING_BOUNDS,
  type Taken,
  type TakenFile,
  takeIncoming,
  type Unread,
} from '../bank-files/folder/incoming.ts'
import { prepareFolders } from '../bank-files/folder/layout.ts'
import type { BankSetup } from '../bank-files/setup.ts'
import { type BookDeps, bookLines } from './book.ts'
import { matchNamedLate } from './late-named.ts'
import { type LateDeps, takeApartLate } from './late-together.ts'
import { keepAway, keepLeft } from './left.sql.ts'
import { countLines } from './lines.sql.ts'
import { type NewFile, type RecordDeps, recordFile, recordUnread } from './record.ts'

export type ImportDeps = Omit<RecordDeps, 'setup'> &
  BookDeps &
  LateDeps & { setup: Pick<BankSetup, 'accounts' | 'csv'> }

/** What became of a file, and of the lines that it brought. */
export type Imported = { taken: Taken; matched: number; unallocated: number; unbooked: number }

/** Takes in one file and books its lines; of many thousands, the payer books the rest. Repeating it changes nothing. */
export async function importFile(deps: ImportDeps, file: NewFile): Promise<Imported> {
  const taken = await recordFile(deps, file)
  await bookLines(deps)
  await takeApartLate(deps)
  await matchNamedLate(deps)
  return { taken, ...(await countLines(deps.db, contentHashOf(file.bytes))) }
}

export type ReaderDeps = ImportDeps & {
  folder: string
  logger: { info(fields: object, message: string): void; error(fields: object, message: string): void }
  /** How long a file must have been left alone before it is read. */
  minAgeMs?: number
}

/**
 * One round of reading the folder. Lines are booked also where it cannot be read: operators bring files, too.
 * @returns whether there may be more to do
 * @throws why the folder could not be read, once the rest is done
 */
export async function readFolder(deps: ReaderDeps): Promise<boolean> {
  const read = await takeFiles(deps).then(
    (files) => ({ files }),
    (error: unknown) => ({ error }),
  )
  if ('files' in read) await keepLeft(deps.db, read.files)
  else await keepAway(deps.db, deps.folder)
  const isMore = await bookLines(deps)
  await takeApartLate(deps)
  await matchNamedLate(deps)
  if ('error' in read) throw read.error
  return isMore || read.files.some(({ result }) => result !== 'left')
}

async function takeFiles(deps: ReaderDeps): Promise<readonly TakenFile[]> {
  const { folder, logger, now, minAgeMs = INCOMING_BOUNDS.minAgeMs } = deps
  const folders = await prepareFolders(fs, folder)
  const bounds = { ...INCOMING_BOUNDS, minAgeMs }
  const keepUnread = (file: Unread) => recordUnread(deps, file)
  const files = await takeIncoming({ fs, folders, now, bounds, keepUnread }, (file, hasLeft) =>
    recordFile(deps, { ...file, hasLeft }),
  )
  for (const file of files) {
    const { name } = file
    if (file.result === 'left')
      logger.error({ err: file.error, name }, 'a bank file was not taken in; it is tried again')
    else if (file.result === 'refused') {
      logger.error({ name, ...file.refusal }, 'a bank file was set aside; see "coin bank files --set-aside"')
    } else {
      const leftOut = file.result === 'applied' && file.leftOut !== undefined ? { leftOut: file.leftOut } : {}
      logger.info({ name, result: file.result, ...leftOut }, 'a bank file was taken in')
    }
  }
  return files
}
