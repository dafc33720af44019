/** The parts of an entry: transactions, or batches that the bank booked as one sum without details. */
import { refuse } from '../refusal.ts'
import { children, countOf, optionalChild, optionalPath, optionalText } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { readDirection, senOf } from '../xml/values.ts'
import type { BookedTogether, Direction } from './statement.ts'

export type Part = {
  transaction: XmlElement | undefined
  bookedTogether: BookedTogether | null
  amountSen: bigint | null
  direction: Direction | null
}

/** @throws a refusal when a batch and its transactions do not agree */
export function partsOf(element: XmlElement): Part[] {
  return children(element, 'NtryDtls').flatMap((details) => {
    const batch = optionalChild(details, 'Btch')
    const transactions = children(details, 'TxDtls').map(partOf)
    if (batch === undefined) return transactions
    const together = readBatch(batch)
    if (transactions.length === 0) return [together]
    const { bookedTogether, amountSen } = together
    if (bookedTogether?.count != null && bookedTogether.count !== transactions.length) {
      refuse('inconsistent_sums', `A batch of ${bookedTogether.count} has ${transactions.length} transactions.`)
    }
    const amounts = transactions.map((one) => one.amountSen)
    if (amountSen !== null && !amounts.includes(null)) {
      const sumSen = amounts.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
      if (sumSen !== amountSen) refuse('inconsistent_sums', 'The transactions of a batch do not make its amount.')
    }
    return transactions
  })
}

function partOf(transaction: XmlElement): Part {
  const amount = optionalChild(transaction, 'Amt') ?? optionalPath(transaction, 'AmtDtls', 'TxAmt', 'Amt')
  const indicator = optionalChild(transaction, 'CdtDbtInd')
  return {
    transaction,
    bookedTogether: null,
    amountSen: amount === undefined ? null : senOf(amount),
    direction: indicator === undefined ? null : readDirection(indicator),
  }
}

function readBatch(batch: XmlElement): Part {
  const count = optionalChild(batch, 'NbOfTxs')
  const amount = optionalChild(batch, 'TtlAmt')
  const indicator = optionalChild(batch, 'CdtDbtInd')
  return {
    transaction: undefined,
    bookedTogether: {
      paymentFileId: optionalText(batch, 35, 'MsgId'),
      sectionId: optionalText(batch, 35, 'PmtInfId'),
      count: count === undefined ? null : countOf(count),
    },
    amountSen: amount === undefined ? null : senOf(amount),
    direction: indicator === undefined ? null : readDirection(indicator),
  }
}
