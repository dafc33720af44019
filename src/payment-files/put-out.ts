/**
 * Puts stored payment files into the transport's folder. Hours or days may lie between a file and its putting out (a full disk, a key
 * that does not open it), so its payouts are looked at again, and kept from changing until it is known to be out; so is its day, because
 * banks reject what is to be carried out in the past.
 */
import { localTime } from '../bank-files/day.ts'
import type { Folders } from '../bank-files/folder/layout.ts'
import { handOver, hashPutOut } from '../bank-files/folder/outgoing.ts'
import { readSentFile } from '../bank-files/payment-file/read.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { listToPutOut, lockToPutOut, markFileUnopened, markPutOut, openFile, type StoredFile } from './files.sql.ts'
import { giveUpFile } from './give-up.ts'
import { areAnyUnfenced } from './minted-back.sql.ts'
import { type Filed, type FilingDeps, type Run, WAITS_FOR_FENCE } from './run.ts'
import { listUndue, lockPayoutsOf } from './undue.sql.ts'

/** What became of one file; undefined: somebody else has dealt with it. */
type Outcome = 'put out' | 'unopened' | 'unfenced' | { withdrawn: string } | { stopped: string } | undefined

/**
 * Puts out what waits, each file in a transaction of its own, and says in `filed` what became of it. One that cannot be put out now holds up
 * none of the others.
 * @param only of all that wait, this one
 * @returns the first error that kept a file from being put out; undefined when there was none
 */
export async function putOut(deps: Run, folders: Folders, filed: Filed, only?: string): Promise<unknown> {
  const { db, logger } = deps
  const waiting = (await listToPutOut(db)).map(({ messageId }) => messageId)
  let failure: unknown
  for (const messageId of waiting.filter((each) => only === undefined || each === only)) {
    try {
      const outcome = await db.transaction((tx) => putOutOne(tx, deps, folders, messageId))
      note(deps, filed, messageId, outcome)
    } catch (error) {
      failure ??= error
      logger.error({ err: error, messageId }, 'a payment file was not put out; it is tried again')
    }
    if (filed.stopped !== null) break
  }
  return failure
}

function note({ logger }: FilingDeps, filed: Filed, messageId: string, outcome: Outcome): void {
  if (outcome === 'put out') {
    filed.files.push(messageId)
    logger.info({ messageId }, 'a payment file was put out')
  } else if (outcome === 'unopened') {
    logger.error({ messageId }, 'a payment file waits: it cannot be opened with the present key')
  } else if (outcome === 'unfenced') {
    filed.waits = [...new Set([...(filed.waits ?? []), WAITS_FOR_FENCE])]
    logger.error({ messageId, reason: WAITS_FOR_FENCE }, 'a payment file waits')
  } else if (outcome !== undefined && 'stopped' in outcome) {
    filed.stopped = outcome.stopped
  } else if (outcome !== undefined) {
    const { withdrawn: reason } = outcome
    filed.withdrawn.push({ messageId, reason })
    logger.error({ messageId, reason }, 'a payment file was withdrawn: what is still due goes into the next one')
  }
}

async function putOutOne(tx: Queryable, deps: Run, folders: Folders, messageId: string): Promise<Outcome> {
  const { secrets, fs, unfenced } = deps
  const file = await lockToPutOut(tx, messageId)
  if (file === undefined) return undefined
  const taken = { stopped: `The folder holds another file ${messageId} than the database.` }
  const there = await hashPutOut(fs, folders, messageId)
  if (there === undefined) {
    await lockPayoutsOf(tx, messageId)
    const undue = await listUndue(tx, messageId)
    if (undue.length > 0) {
      return await withdraw(undue.map(({ endToEndId, why }) => `${endToEndId}: ${why}`).join('; '))
    }
    // One of a backup: it goes out once it is known whether its coin was minted back.
    if (await areAnyUnfenced(tx, messageId, unfenced)) return 'unfenced'
    const content = openedOrNot(secrets, file)
    if (content === undefined) {
      await markFileUnopened(tx, messageId)
      return 'unopened'
    }
    const bytes = new Uint8Array(Buffer.from(content, 'utf8'))
    const passed = passedDay(bytes, deps)
    if (passed !== undefined) return await withdraw(`its day, ${passed}, has passed`)
    const handed = await handOver(fs, folders, { messageId, bytes }, () => stillLocked(tx))
    if (handed.result === 'number_taken') return taken
  } else if (there !== file.contentHash) return taken
  await markPutOut(tx, messageId)
  return 'put out'

  async function withdraw(reason: string): Promise<Outcome> {
    await giveUpFile(tx, { fs, folders }, { messageId, reason })
    return { withdrawn: reason }
  }
}

/**
 * The database ends a transaction in which nothing happens for long. Then others may have withdrawn the file, and have its payments in the next.
 * @throws where it has ended
 */
async function stillLocked(tx: Queryable): Promise<void> {
  await tx.query('select 1')
}

/** The first day of a file that is over; undefined when there is none. */
function passedDay(bytes: Uint8Array, { setup: { profile, calendar }, now }: FilingDeps): string | undefined {
  const read = readSentFile(bytes, profile)
  if (!read.ok) return undefined
  const { day: today } = localTime(calendar.timeZone, now())
  const days = read.value.sections.map(({ executionDay }) => executionDay).sort()
  return days[0] !== undefined && days[0] < today ? days[0] : undefined
}

/** One file that does not open holds up none of the others. */
function openedOrNot(secrets: SecretBox, file: StoredFile): string | undefined {
  try {
    return openFile(secrets, file)
  } catch {
    return undefined
  }
}
