/** `TxsSummry`: the totals that a file states for all its entries. */
import { refuse } from '../refusal.ts'
import { countOf, optionalChild, optionalPath } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { directionOf, plainSenOf } from '../xml/values.ts'
import type { Head } from './entry.ts'
import { changeOf } from './statement.ts'

/**
 * @param booked those of the entries that are in the balances, which some banks count alone
 * @throws a refusal when a stated count, sum or net differs from that of the entries
 */
export function refuseWrongSummary(
  summary: XmlElement | undefined,
  entries: readonly Head[],
  booked: readonly Head[] = entries,
): void {
  if (summary === undefined) return
  const all = [entries, booked]
  const of = (direction: Head['direction']) => all.map((each) => each.filter((entry) => entry.direction === direction))
  refuseWrongTotal(optionalChild(summary, 'TtlNtries'), all)
  refuseWrongTotal(optionalChild(summary, 'TtlCdtNtries'), of('credit'))
  refuseWrongTotal(optionalChild(summary, 'TtlDbtNtries'), of('debit'))
}

function refuseWrongTotal(total: XmlElement | undefined, either: readonly (readonly Head[])[]): void {
  if (total === undefined || either.some((entries) => isTotalOf(total, entries))) return
  refuse('inconsistent_sums', `<${total.name}> states another number or sum than the entries have.`)
}

function isTotalOf(total: XmlElement, entries: readonly Head[]): boolean {
  const count = optionalChild(total, 'NbOfNtries')
  const sum = optionalChild(total, 'Sum')
  const sumSen = entries.reduce((all, { amountSen }) => all + amountSen, 0n)
  const netSen = entries.reduce((all, entry) => all + changeOf(entry), 0n)
  return (
    (count === undefined || countOf(count) === entries.length) &&
    (sum === undefined || plainSenOf(sum) === sumSen) &&
    (statedNet(total) ?? netSen) === netSen
  )
}

/** Version 2 writes amount and indicator into the total, later ones below `TtlNetNtry`. */
function statedNet(total: XmlElement): bigint | undefined {
  const later = optionalPath(total, 'TtlNetNtry')
  const holder = later ?? total
  const amount = optionalChild(holder, later === undefined ? 'TtlNetNtryAmt' : 'Amt')
  return amount === undefined ? undefined : changeOf({ direction: directionOf(holder), amountSen: plainSenOf(amount) })
}
