/** What allocating would do: the lines, the payouts that they would be together or claims of, and what would be the issuer's own. */
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { sayRinggit } from '../../money.ts'
import { type BelongingLine, findLine } from '../../statements/lines-of.sql.ts'
import { saidByAll } from '../../statements/meant.ts'
import { sayGiven } from '../amounts.ts'
import { viewLine } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { namesIn, serialIn } from '../parse.ts'
import { describePayment } from './about-payment.ts'
import type { Asked } from './asked.ts'

type Facts = Record<string, unknown>

/** @param first the line that the request names in its path */
export async function describeAllocation(
  db: Queryable,
  secrets: OperatorDeps['secrets'],
  first: BelongingLine,
  { with: others, payouts, claims, charges, surplus }: Asked['body'],
): Promise<Facts> {
  const lines: BelongingLine[] = []
  for (const lineId of namesIn(others)) {
    const lineNo = serialIn(lineId)
    const line = lineNo === undefined ? undefined : await findLine(db, lineNo)
    if (line === undefined) return { would: `belong to nothing new: there is no line ${lineId}.` }
    if (![first, ...lines].some((each) => each.lineNo === line.lineNo)) lines.push(line)
  }
  const taken = [first, ...lines].find(({ state }) => state !== 'unallocated')
  if (taken !== undefined) return { would: `belong to what they do: line ${taken.lineNo} is ${taken.state}.` }
  const said = await showDetails(
    db,
    secrets,
    lines.map(({ bankId }) => bankId),
  )
  const together = lines.map((line) => {
    const view = viewLine(line, said.get(line.bankId ?? ''))
    const { lineId, bookedOn, statement, counterparty, remittance } = view
    return `line ${lineId}: ${sayRinggit(line.amountMicro)} of ${bookedOn} (${statement}) ${counterparty ?? ''} ${remittance}`.trimEnd()
  })
  const saidOf = await saidByAll(db, [first, ...lines])
  const [paid, claimed]: [string[], string[]] = [[], []]
  for (const [as, ids, seen] of [
    ['payout', namesIn(payouts), paid],
    ['claim', namesIn(claims), claimed],
  ] as const) {
    for (const payoutId of ids) {
      const described = await describePayment(db, saidOf(payoutId), { payoutId, as })
      if (described === undefined) return { would: `belong to nothing new: there is no payout ${payoutId}.` }
      seen.push(`${payoutId}: ${described}`)
    }
  }
  const sumMicro = [first, ...lines].reduce((sum, { amountMicro }) => sum + amountMicro, 0n)
  const kept = (said: string) => (sumMicro < 0n ? `, and ${said} of it charges` : `, less ${said} that the bank kept`)
  const own = typeof charges === 'string' ? kept(sayGiven(charges)) : ''
  const onTop = typeof surplus === 'string' ? `, and ${sayGiven(surplus)} of it the issuer's own` : ''
  const what = whatItIs({ isDebit: sumMicro < 0n, pays: paid.length > 0, claims: claimed.length > 0 })
  return {
    ...(together.length === 0 ? {} : { with: together }),
    ...(paid.length === 0 ? {} : { payouts: paid }),
    ...(claimed.length === 0 ? {} : { claims: claimed }),
    would: `${together.length === 0 ? 'would be' : `and the others, ${sayRinggit(sumMicro)} in all, would be`} ${what}, each to the sen${own}${onTop}. Another sum is refused.`,
  }
}

function whatItIs({ isDebit, pays, claims }: { isDebit: boolean; pays: boolean; claims: boolean }): string {
  const payments = `what ${isDebit ? 'paid' : 'gave back'} these payouts`
  const twice = isDebit
    ? 'what paid those under "claims" once more, to be claimed back'
    : 'what gives back what was claimed of those under "claims"'
  return [...(pays ? [payments] : []), ...(claims ? [twice] : [])].join(', and ')
}
