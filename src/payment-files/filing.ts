/**
 * Hands accepted payments over to the bank's transport, in one numbered file a run.
 *
 * Number, content and payments are stored in one transaction, then the file appears in the folder, then it is recorded
 * that it did. After a kill anywhere the next run writes the same bytes under the same number. A number in the folder
 * that the database does not know means that the database is behind what was sent: everything stops until the file was
 * read back.
 */
import { executionDay } from '../bank-files/calendar/schedule.ts'
import { contentHashOf } from '../bank-files/definitions.ts'
import { type Folders, prepareFolders } from '../bank-files/folder/layout.ts'
import { listPaymentFiles } from '../bank-files/folder/outgoing.ts'
import { removeLeftParts } from '../bank-files/folder/write-new.ts'
import { formPaymentFile, MAX_PAYMENTS, messageIdOf, type NewSection } from '../bank-files/payment-file/file.ts'
import { preparePayment } from '../bank-files/payment-file/payment.ts'
import { writePaymentFile } from '../bank-files/payment-file/write.ts'
import { type BankRail, railFor } from '../bank-files/rails.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Queryable } from '../db/database.ts'
import { markUnopened, passOver } from './behind.sql.ts'
import { findFile, insertFile, lockNumbers, readLastNumber, stopFiling } from './files.sql.ts'
import { doAnyAwaitFence } from './late.sql.ts'
import { listUnfenced } from './minted-back.sql.ts'
import { endMintedBack } from './minted-back.ts'
import { endNeedless } from './needless.ts'
import { requireOneTime } from './one-time.ts'
import { lockWaiting, type OpenedPayment, putIntoFile } from './payments.sql.ts'
import { everyPrefix } from './prefixes.ts'
import { putOut } from './put-out.ts'
import { refuseOtherFolder } from './right-folder.ts'
import { type Filed, type FilingDeps, type Run, WAITS_FOR_FENCE } from './run.ts'

/** So many times a run looks for payments behind those that cannot go into its file; then these come last. */
const MOST_LOOKS = 10

/**
 * One run: puts out what an earlier one left, then makes and puts out at most one new file.
 * @param most payments in that file
 * @throws what kept a file from being put out, once everything else is done
 */
export async function fileWaiting(deps: FilingDeps, most = MAX_PAYMENTS): Promise<Filed> {
  await requireOneTime(deps)
  const folders = await prepareFolders(deps.fs, deps.folder)
  for (const folder of [folders.out, folders.kept]) await removeLeftParts(deps.fs, folder, deps.now())
  await refuseOtherFolder(deps, folders)
  // First: what a restored state has still to put out, a later one may have withdrawn, and sent its payments in another file.
  const filed: Filed = { files: [], withdrawn: [], stopped: await sayUnknown(deps, folders) }
  // Before what others have minted is looked at: a fence that is final only after that look shows mints which it has not seen.
  const run: Run = { ...deps, unfenced: await listUnfenced(deps.db) }
  await endMintedBack(deps)
  const left = filed.stopped === null ? await putOut(run, folders, filed) : undefined
  await endNeedless(deps)
  filed.stopped ??= await sayUnknown(deps, folders)
  const made = filed.stopped === null ? await makeFile(run, filed, most) : undefined
  const late = made === undefined ? undefined : await putOut(run, folders, filed, made)
  if (filed.stopped !== null) await stop(deps, filed.stopped)
  const failure = left ?? late
  if (failure !== undefined) throw failure
  return filed
}

async function stop({ db, logger }: FilingDeps, reason: string): Promise<void> {
  await stopFiling(db, reason)
  logger.error({ reason }, 'no payment file is written until "coin bank read-back --reason …" was run')
}

/** A sentence about files whose numbers the database has not given out; null when there is none. */
export async function sayUnknown(
  { db, fs, setup }: Pick<FilingDeps, 'db' | 'fs' | 'setup'>,
  folders: Folders,
): Promise<string | null> {
  for (const prefix of await everyPrefix({ db, fs, setup }, folders)) {
    const after = await readLastNumber(db, prefix)
    for (const { messageId } of await listPaymentFiles(fs, folders, { prefix, after })) {
      // Another process may have numbered it meanwhile.
      if ((await findFile(db, messageId)) === undefined) {
        return `The folder holds ${messageId}, and the database has given out numbers up to ${after} only.`
      }
    }
  }
  return null
}

/** Stores the next file with its payments, and says in `filed` why others wait. @returns its message id; undefined where it has none */
async function makeFile(deps: Run, filed: Filed, most: number): Promise<string | undefined> {
  const { db, logger, unfenced } = deps
  return await db.transaction(async (tx) => {
    await lockNumbers(tx)
    const sections = await lookForPayments(tx, deps, most)
    const refused = new Set([...((await doAnyAwaitFence(tx, unfenced)) ? [WAITS_FOR_FENCE] : []), ...sections.refused])
    for (const reason of refused) logger.error({ reason }, 'payments wait for a payment file')
    if (refused.size > 0) filed.waits = [...new Set([...(filed.waits ?? []), ...refused])]
    if (sections.formed.length === 0) return undefined
    return await storeFile(tx, deps, sections.formed)
  })
}

/** What the next file takes: the oldest payments, without those that cannot go into it, however many these are. */
async function lookForPayments(tx: Queryable, { secrets, setup, logger, now, unfenced }: Run, most: number) {
  const notOpened: string[] = []
  const refused: string[] = []
  const seen: string[] = []
  let carried: OpenedPayment[] = []
  let formed: NewSection[] = []
  let after: string | undefined
  for (let look = 1; ; look += 1) {
    const limit = most - carried.length
    const { waiting, unopened, last, areBehind } = await lockWaiting(tx, secrets, limit, { after, unfenced })
    const before = carried.length
    const sections = sectionsOf([...carried, ...waiting], setup, now())
    notOpened.push(...unopened)
    refused.push(...sections.refused)
    seen.push(...waiting.map(({ endToEndId }) => endToEndId), ...unopened)
    formed = sections.formed
    carried = sections.carried
    if (waiting.length + unopened.length < limit || carried.length === most) break
    // What waits behind these has its turn in the next run.
    if (look === MOST_LOOKS || (areBehind && carried.length === before)) {
      const taken = new Set(carried.map(({ endToEndId }) => endToEndId))
      await passOver(
        tx,
        seen.filter((endToEndId) => !taken.has(endToEndId)),
      )
      break
    }
    after = last
  }
  // Afterwards: it puts them behind all others.
  await markUnopened(tx, notOpened)
  for (const endToEndId of notOpened)
    logger.error({ endToEndId }, 'a payment waits: its payee cannot be opened with the present key as this payment’s')
  return { formed, refused }
}

async function storeFile(
  tx: Queryable,
  { secrets, setup, now }: FilingDeps,
  sections: readonly NewSection[],
): Promise<string> {
  const { prefix, from, profile } = setup
  const fileNumber = (await readLastNumber(tx, prefix)) + 1
  const messageId = messageIdOf(prefix, fileNumber)
  const file = formPaymentFile({ messageId, createdAt: now(), initiatingParty: from.name }, sections)
  const written = writePaymentFile(file, profile)
  if (!written.ok) throw new Error(`a payment file was not written: ${written.refusal.sentence}`)
  const content = written.value
  const contentHash = contentHashOf(Buffer.from(content, 'utf8'))
  await insertFile(tx, secrets, { prefix, fileNumber, messageId, content, contentHash })
  const ids = sections.flatMap(({ payments }) => payments.map(({ endToEndId }) => endToEndId))
  await putIntoFile(tx, ids, messageId)
  return messageId
}

/** One section for each rail, with the day on which that rail carries out what is handed over now. */
function sectionsOf(
  payments: readonly OpenedPayment[],
  { from, profile, calendar, rails }: PaymentSetup,
  now: Date,
): { formed: NewSection[]; refused: string[]; carried: OpenedPayment[] } {
  const byRail = new Map<BankRail, OpenedPayment[]>()
  const refused: string[] = []
  for (const payment of payments) {
    const rail = railFor(profile.rails, rails, payment.amountSen)
    const fit = rail && preparePayment(paymentOf(payment), rail, profile)
    if (rail === undefined || fit === undefined) refused.push(`No rail carries ${payment.endToEndId} any more.`)
    else if (!fit.ok) refused.push(`${payment.endToEndId}: ${fit.refusal.sentence}`)
    else byRail.set(rail, [...(byRail.get(rail) ?? []), payment])
  }
  const formed: NewSection[] = []
  const carried: OpenedPayment[] = []
  const { key: _, ...debtor } = from
  for (const [rail, some] of byRail) {
    const day = executionDay(calendar, rail, now)
    if (!day.ok) refused.push(day.refusal.sentence)
    else {
      formed.push({ rail, executionDay: day.value, debtor, payments: some.map(paymentOf) })
      carried.push(...some)
    }
  }
  return { formed, refused, carried }
}

function paymentOf({ endToEndId, amountSen, bic, account, name, isResident, remittance }: OpenedPayment) {
  return { endToEndId, amountSen, payee: { bic, account, name }, isResident, remittanceText: remittance }
}
