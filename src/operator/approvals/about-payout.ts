/** A payout as whoever decides about it has to see it: to whom ringgit, or coin, would go, and whether it may have been paid before. */
import type { Queryable } from '../../db/database.ts'
import { sayRinggit, saySen } from '../../money.ts'
import { findFiledAs } from '../../payment-files/reported.sql.ts'
import type { Payout } from '../../payouts/payout.ts'
import type { SecretBox } from '../../secrets/secrets.ts'
import { findCalledOtherwise, sumUnexplained } from '../../statements/may-be.sql.ts'
import { findPayeesDebit } from '../../statements/shown.sql.ts'
import { describeCalledPaid, whyMaybePaid } from '../../statements/unshown.sql.ts'
import { readPayoutHolds, sayHold } from '../holds.ts'
import { bewareOf } from '../minted-back.ts'
import { describeCounting } from '../named-payment.ts'
import { findOrderWithFacts } from '../orders/orders.sql.ts'
import { viewPayout } from '../payout-view.ts'
import { sayPaysTo } from '../pays-to.ts'
import { MEANING } from './about-bank.ts'

type Facts = Record<string, unknown>

const PAYING_AGAIN = ['retry', 'release', 'refund', 'mark-paid'].map((verb) => `payout ${verb}`)

/** After these a payout is paid, or its coin minted back, that may have been paid before. */
const MAKE_PAYABLE = ['retry', 'release', 'refund', 'mark-unpaid'].map((verb) => `payout ${verb}`)

/** @param customer what is shown of it, with the account that it has now */
export async function describePayout(
  db: Queryable,
  secrets: SecretBox,
  command: string,
  payout: Payout,
  customer: Facts | undefined,
): Promise<Facts> {
  const { amountMyr, status, holdReason, integrationId, referenceId, attempt, lastError } = viewPayout(payout)
  const order = integrationId === null ? null : `${integrationId}/${referenceId}`
  const { now: holds } = await readPayoutHolds(db, payout)
  const people = holds.filter(({ by }) => by !== null)
  const beware = PAYING_AGAIN.includes(command) ? await bewareOf(db, payout) : undefined
  return {
    amountMyr,
    status,
    holdReason,
    ...(people.length > 0 && { heldFor: people.map(sayHold).join('; ') }),
    order,
    attempt,
    lastError,
    ...customer,
    ...(await (command === 'payout mark-unpaid'
      ? describeDisproof(db, payout)
      : describeWould(db, secrets, command, { payout, isHeldByPeople: people.length > 0 }))),
    ...(MAKE_PAYABLE.includes(command) ? await describeDebits(db, payout.payoutId) : {}),
    ...(beware && { beware }),
  }
}

type Wanted = { payout: Payout; isHeldByPeople: boolean }

async function describeWould(
  db: Queryable,
  secrets: SecretBox,
  command: string,
  { payout, isHeldByPeople }: Wanted,
): Promise<Facts> {
  const payee = async () => (await sayPaysTo(db, secrets, payout)) ?? 'an account that there is not'
  const sum = saySen(payout.amountSen)
  switch (command) {
    case 'payout retry':
      return { would: `${sum} would be sent once more, as payment ${payout.attempt + 1}, to ${await payee()}.` }
    case 'payout release':
      return { would: `It would go on: ${sum} would be paid to ${await payee()}, once its burn is seen.` }
    case 'payout mark-paid':
      return { would: `${sum} would count as paid by hand: no rail would pay it.` }
    case 'payout resettle':
      return {
        would: `It would be gone until its coin is burnt: its redeem would await a batch, ${isHeldByPeople ? 'held for what people hold this for' : `and ${sum} be paid then`}.`,
      }
    case 'payout refund':
      return {
        would: `The coin of its redeem would be minted back${await walletOf(db, payout)}, once, and ${sum} not be paid.`,
      }
    default:
      return {}
  }
}

async function walletOf(db: Queryable, { integrationId, referenceId }: Payout): Promise<string> {
  const redeem = await findOrderWithFacts(db, integrationId, referenceId)
  return redeem === undefined ? '' : ` to ${redeem.order.walletAddress}`
}

/** What would become of a payment that is called unpaid; of one that its rail calls paid also how far statements go. */
async function describeDisproof(db: Queryable, payout: Payout): Promise<Facts> {
  const { payoutId, amountSen, endToEndId } = payout
  const { says, isOnlyOne } = await describeCounting(db, payout)
  const payment = isOnlyOne ? `${says}, the only one` : says
  const filed = (await findFiledAs(db, [endToEndId])).get(endToEndId)
  const inFile = filed === undefined ? {} : { paymentFile: filed.paymentFile ?? 'none yet: it would go into none' }
  const maybe = await whyMaybePaid(db, payoutId)
  const called = await describeCalledPaid(db, payoutId)
  const owed = `${saySen(amountSen)} would be owed again, and could be paid or refunded`
  const { count, amountMicro } = await sumUnexplained(db, payoutId)
  const debits = `${count === 1 ? 'A debit' : `${count} debits`} of ${sayRinggit(amountMicro)} in all since it was queued, which nothing explains: the bank may have booked it in one with others, or in parts.`
  const mayBeIn = count === 0 ? {} : { mayBeIn: debits }
  if (called === undefined) return { payment, ...inFile, would: maybe ?? `${owed}.`, ...mayBeIn }
  const { paidFrom, paidOn, statements } = called
  const would = maybe ?? `${owed}: no statement shows a debit of it.`
  return { payment, calledPaidOn: paidOn, from: paidFrom, statements, would, ...mayBeIn }
}

/**
 * A debit that names the payout and that nothing explains. Where there is none: debits of its amount that somebody has explained otherwise, one of which may
 * be its payment where the bank leaves our ids out.
 */
async function describeDebits(db: Queryable, payoutId: string): Promise<Facts> {
  const unexplained = await findPayeesDebit(db, payoutId)
  if (unexplained !== undefined) return { mayBePaid: unexplained }
  const found = await findCalledOtherwise(db, payoutId)
  if (found.length === 0) return {}
  const said = found.map(({ place, bookedOn, kind, to }) => {
    const what = kind === null ? 'allocated to' : `said to be ${MEANING[kind]} of`
    return `${place} of ${bookedOn} was ${what} ${to}`
  })
  return { mayBePaid: `By a debit of this amount that an operator has explained otherwise: ${said.join('; ')}.` }
}
