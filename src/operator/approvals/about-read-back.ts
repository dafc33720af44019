/** The payment files that a read-back would record, as they lie in the folder now. */
import type { Queryable } from '../../db/database.ts'
import { saySen } from '../../money.ts'
import type { OperatorDeps } from '../deps.ts'
import { inFolder, saidInstead } from '../in-folder.ts'
import { sayCount } from '../say-count.ts'

/** After a restore of yesterday's backup there are a few; of more the first are named, and all are counted. */
const MOST_NAMED = 20

/** Undefined where this process does not have the folder. */
export async function describeReadBack(
  db: Queryable,
  { paymentFiles }: Pick<OperatorDeps, 'paymentFiles'>,
): Promise<Record<string, unknown> | undefined> {
  if (paymentFiles === undefined) return undefined
  const unknown = await inFolder(paymentFiles.findUnknown(db)).catch(saidInstead)
  if (typeof unknown === 'string') return { would: unknown }
  const { files, problems } = unknown
  if (problems.length > 0) return { would: `Nothing would be read back: ${problems.join(' ')}` }
  if (files.length === 0) {
    return { would: 'No file is there that the database does not know: files would only be written again.' }
  }
  const payments = files.reduce((sum, file) => sum + file.payments, 0)
  const sen = files.reduce((sum, file) => sum + file.amountSen, 0n)
  const named = files.slice(0, MOST_NAMED).map(describe)
  const more = files.length - named.length
  return {
    files: more > 0 ? [...named, `and ${more} more`] : named,
    would: `${sayCount(files.length, 'file')} of ${sayCount(payments, 'payment')} and ${saySen(sen)} in all would count as sent, and files would be written again. Compare them with what the bank has.`,
  }
}

function describe({ messageId, contentHash, payments, amountSen, wentOut }: Files[number]): string {
  const kept = wentOut ? '' : '; it was kept and is in neither out nor out/taken: ask whether the bank has it at all'
  return `${messageId}: ${sayCount(payments, 'payment')} of ${saySen(amountSen)}, SHA-256 ${contentHash}${kept}`
}

type Files = Awaited<ReturnType<NonNullable<OperatorDeps['paymentFiles']>['findUnknown']>>['files']
