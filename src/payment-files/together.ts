/** Which payments a debit was that the bank booked for a whole payment file, or for a section of it. */
import { type FiledPayment as InFile, paymentsOf } from '../bank-files/payment-file/file.ts'
import { readSentFile } from '../bank-files/payment-file/read.ts'
import type { PaymentSetup } from '../bank-files/setup.ts'
import type { Queryable } from '../db/database.ts'
import { findFile, type StoredFile } from './files.sql.ts'
import { listFiled } from './lost.sql.ts'
import { listRejected } from './reported.sql.ts'
import { readUnlessLost } from './says.ts'
import { isUnrecorded, type PlaceDeps, UnrecordedFileError } from './unrecorded.ts'

const NAME = /^([A-Z0-9]{1,12}-\d{8})(-\d{1,5})?$/

type Debit = { names: readonly string[]; amountSen: bigint; count: number | null }

/** Whichever section is named: of a file that nobody can read any more it is known what is in it, and not in which section. */
const ANY = '*'

type FiledPayment = Pick<InFile, 'endToEndId' | 'amountSen'>
type Part = { of: string | null; payments: readonly FiledPayment[] }
/** Payments that a bank may have booked as one sum, with what they come to. `of`: their section; null: the whole file. */
type Sum = Part & { sumSen: bigint; count: number }
/** Of a file that was put out: first all of its payments, then those that the bank has not rejected. */
type Sums = readonly (readonly Sum[])[]

/** What was opened in a transaction: a statement may name one file in each of its lines. */
const opened = new WeakMap<Queryable, Map<string, Sums>>()

/**
 * The payments of the first file or section among these names that came to the amount: all of them, or all that the bank has not
 * rejected. None when nothing comes to it, or more than one section of a file does.
 * @param setup undefined where no payment files are written
 * @throws UnrecordedFileError where the folder holds such a file, and the database does not know yet that it went out: ask again
 */
export async function findTogether(
  deps: PlaceDeps,
  setup: PaymentSetup | undefined,
  { names, amountSen, count }: Debit,
): Promise<readonly FiledPayment[]> {
  if (setup === undefined) return []
  for (const name of names) {
    const [, messageId = '', section] = NAME.exec(name) ?? []
    for (const sums of messageId === '' ? [] : await sumsOf(deps, setup, messageId)) {
      const fitting = sums.filter(
        (one) =>
          (section === undefined || one.of === name || one.of === ANY) &&
          one.sumSen === amountSen &&
          (count ?? one.count) === one.count,
      )
      const whole = fitting.find(({ of }) => of === null)
      const [only, ...others] = fitting
      if (whole !== undefined) return whole.payments
      if (only !== undefined) return others.length === 0 ? only.payments : []
    }
  }
  return []
}

async function sumsOf(deps: PlaceDeps, setup: PaymentSetup, messageId: string): Promise<Sums> {
  const known = opened.get(deps.tx) ?? new Map<string, Sums>()
  opened.set(deps.tx, known)
  const sums = known.get(messageId) ?? (await readSums(deps, setup, messageId))
  known.set(messageId, sums)
  return sums
}

async function readSums(deps: PlaceDeps, setup: PaymentSetup, messageId: string): Promise<Sums> {
  const { tx } = deps
  const stored = await findFile(tx, messageId)
  if (!stored?.isPutOut) {
    if (await isUnrecorded(deps, setup, messageId, stored)) throw new UnrecordedFileError(messageId)
    return []
  }
  const parts = await partsOf(deps, setup, stored)
  const rejected = await listRejected(tx, messageId)
  const isLeft = ({ endToEndId }: FiledPayment) => !rejected.has(endToEndId)
  // What is left of a whole file may come to what one of its sections did.
  const named = parts.filter(({ of }) => of !== ANY)
  return [parts.map(sumOf), named.map(({ of, payments }) => sumOf({ of, payments: payments.filter(isLeft) }))]
}

function sumOf({ of, payments }: Part): Sum {
  const sumSen = payments.reduce((sum, { amountSen }) => sum + amountSen, 0n)
  return { of, payments, sumSen, count: payments.length }
}

/** The whole file and its sections. Where nobody can read it any more, what comes to the whole is the whole, also under the name of a section. */
async function partsOf(deps: PlaceDeps, setup: PaymentSetup, stored: StoredFile): Promise<readonly Part[]> {
  const bytes = await readUnlessLost(deps, stored)
  if (bytes === undefined) {
    const payments = await listFiled(deps.tx, stored.messageId)
    return [null, ANY].map((of) => ({ of, payments }))
  }
  const file = readSentFile(bytes, setup.profile)
  if (!file.ok) return []
  return [
    { of: null, payments: paymentsOf(file.value) },
    ...file.value.sections.map(({ sectionId, payments }) => ({ of: sectionId, payments })),
  ]
}
