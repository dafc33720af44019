/** Which payments a debit was that the bank booked for a whole payment file, or for a section of it. */

import { type FiledPayment, type PaymentFile, paymentsOf, totalsOf } from '../bank-files/payment-file/file.ts'
import { readPaymentFile } from '../bank-files/payment-file/read.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets.ts'
import { findFile, openFile } from './files.sql.ts'
import { listRejected } from './payments.sql.ts'

const NAME = /^([A-Z0-9]{1,12}-\d{8})(-\d{1,5})?$/

type Debit = { names: readonly string[]; amountSen: bigint; count: number | null }

/**
 * The payments of the first file or section among these names that came to the amount: all of them, or all that the bank has not
 * rejected. None when nothing comes to it, or more than one section of a file does.
 * @param setup undefined where no payment files are written
 */
export async function findTogether(
  { tx, secrets }: { tx: Queryable; secrets: SecretBox },
  setup: PaymentSetup | undefined,
  { names, amountSen, count }: Debit,
): Promise<readonly FiledPayment[]> {
  if (setup === undefined) return []
  for (const name of names) {
    const [, messageId = '', section] = NAME.exec(name) ?? []
    const stored = messageId === '' ? undefined : await findFile(tx, messageId)
    if (!stored?.isPutOut) continue
    const file = readPaymentFile(new Uint8Array(Buffer.from(openFile(secrets, stored), 'utf8')), setup.profile)
    if (!file.ok) continue
    const rejected = await listRejected(tx, messageId)
    const found = thatCameTo(file.value, { section: section && name, rejected, amountSen, count })
    if (found.length > 0) return found
  }
  return []
}

type Wanted = { section: string | undefined; rejected: ReadonlySet<string>; amountSen: bigint; count: number | null }

function thatCameTo(
  file: Pick<PaymentFile, 'sections'>,
  { section, rejected, amountSen, count }: Wanted,
): readonly FiledPayment[] {
  const sections = file.sections.filter(({ sectionId }) => section === undefined || sectionId === section)
  const isIt = (payments: readonly FiledPayment[]) => {
    const totals = totalsOf(payments)
    return totals.sumSen === amountSen && (count ?? totals.count) === totals.count
  }
  for (const isLeft of [() => true, ({ endToEndId }: FiledPayment) => !rejected.has(endToEndId)]) {
    const whole = paymentsOf({ sections }).filter(isLeft)
    if (isIt(whole)) return whole
    const [one, ...others] = sections.map(({ payments }) => payments.filter(isLeft)).filter(isIt)
    if (one !== undefined) return others.length === 0 ? one : []
  }
  return []
}
