/** What the bank booked of an entry beside its transactions: its charges, mostly. */
import { children, optionalChild } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { readDirection, senOf } from '../xml/values.ts'
import { changeOf, netOf, type StatementLine } from './statement.ts'
import type { Shared } from './transaction.ts'

/** Sen by which the balance changed beside what the transactions say. */
export function restOf(amount: Parameters<typeof changeOf>[0], lines: readonly StatementLine[]): bigint {
  return changeOf(amount) - netOf(lines)
}

/** Whether the bank states charges, of the transactions or of the whole entry, that are exactly this. */
export function isCharges(restSen: bigint, element: XmlElement): boolean {
  const transactions = children(element, 'NtryDtls').flatMap((details) => children(details, 'TxDtls'))
  const ofTransactions = transactions.reduce((sum, transaction) => sum + chargesOf(transaction), 0n)
  const ofEntry = chargesOf(element)
  return [ofTransactions, ofEntry, ofTransactions + ofEntry].includes(restSen)
}

/** Version 2 repeats `Chrgs`, later ones the records in it, or only their total. Without an indicator they are the bank's. */
function chargesOf(parent: XmlElement): bigint {
  const stated = children(parent, 'Chrgs').flatMap((charges) => {
    const records = children(charges, 'Rcrd')
    return records.length > 0 ? records : [charges]
  })
  return stated.reduce((sum, one) => {
    const amount = optionalChild(one, 'Amt') ?? optionalChild(one, 'TtlChrgsAndTaxAmt')
    const indicator = optionalChild(one, 'CdtDbtInd')
    const direction = indicator === undefined ? 'debit' : readDirection(indicator)
    return amount === undefined ? sum : sum + changeOf({ direction, amountSen: senOf(amount) })
  }, 0n)
}

const NOTHING = {
  endToEndId: null,
  instructionId: null,
  paymentFileId: null,
  sectionId: null,
  creditorReference: null,
  counterparty: { name: null, account: null },
  returned: null,
  bookedTogether: null,
  remittanceText: '',
} as const

/** The line of what is left. It names nothing that it might be taken for: an operator says whose it is. */
export function restLine(shared: Shared, restSen: bigint, detail: number): StatementLine {
  const [direction, amountSen] = restSen < 0n ? (['debit', -restSen] as const) : (['credit', restSen] as const)
  return {
    ...shared,
    ...NOTHING,
    detail,
    direction,
    amountSen,
    additionalText: 'Charges, or what else the bank booked',
  }
}
