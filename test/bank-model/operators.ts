/** The operators of a life: they know what the bank would tell them on the phone, say it, and are refused now and then. */
import assert from 'node:assert/strict'
import type { Queryable } from '../../src/db/database.ts'
import { withdrawPayment } from '../../src/payment-files/undue.sql.ts'
import { payoutAdmin } from '../../src/payouts/admin.ts'
import { findPayout } from '../../src/payouts/payouts.sql.ts'
import { allocateLines } from '../../src/statements/allocate.ts'
import { assignLine, type Explanation } from '../../src/statements/assign.ts'
import { findOpenClaimOf } from '../../src/statements/claims.sql.ts'
import { findPaymentOf } from '../../src/statements/facts.sql.ts'
import type { Payment } from '../../src/statements/match.ts'
import { findPaymentShown, lockPayeesDebit } from '../../src/statements/shown.sql.ts'
import { takeLineBack } from '../../src/statements/take-back.ts'
import { whyMaybePaid } from '../../src/statements/unshown.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import type { Random } from '../support/random.ts'
import type { Account, Whose } from './account.ts'
import type { Bank } from './bank.ts'
import type { Payments } from './payments.ts'
import type { Service } from './service.ts'
import { type Sum, sumsAmong } from './sums.ts'

export type Line = {
  lineNo: bigint
  amountMicro: bigint
  reference: string
  detail: number
  endToEndId: string | null
}
type Case = { payoutId: string; status: string; holdReason: string | null; endToEndId: string }
/** What was said of a payout and not refused. */
export type Said = { what: 'retry' | 'mark-unpaid' | 'other'; payoutId: string }

type Parts = {
  random: Random
  service: Service
  bank: Bank
  account: Account
  payments: Payments
  /** Whether they pay payees at the counter: what is only in an operator's memory is lost with a restored database. */
  payByHand: boolean
  say: (what: string) => void
}

/** Ends the transaction of what is refused, as the API does. */
const REFUSED = new Error('refused')

const UNALLOCATED = `select line_no as "lineNo", amount_micro as "amountMicro", servicer_reference as reference, detail,
    end_to_end_id as "endToEndId"
  from bank_lines where state = 'unallocated' and entry > 0 order by line_no`
const CASES = `select payout_id as "payoutId", p.status, hold_reason as "holdReason", end_to_end_id as "endToEndId"
  from payouts p join orders using (order_id) order by order_id`

/** Of these payouts, those of which a statement shows a debit. */
const SHOWN = `select 1 as found from bank_lines where matched_kind in ('payout', 'extra_payout') and amount_micro < 0
  and split_part(matched_to, '/', 1) = any ($1::text[]) limit 1`

/** Debits that somebody has taken for a payment which the bank never carried out, and so for one too many of its payout. */
const TOO_MANY = `select line_no as "lineNo", a.end_to_end_id as "endToEndId"
  from bank_lines l join payout_attempts a on l.matched_to = a.payout_id || '/' || a.attempt
  where a.payout_id = $1 and l.state = 'assigned' and l.matched_kind = 'extra_payout' and l.amount_micro < 0 order by line_no`

/** Whether a payout is being paid under a later name than this one. */
const NEWER = `select 1 as found from payouts p join payout_attempts a using (payout_id)
  where p.payout_id = $1 and a.end_to_end_id = $2 and a.attempt < p.attempt and p.status in ('queued', 'held', 'sent')`

export type Operators = ReturnType<typeof createOperators>

export function createOperators({ random, service, bank, account, payments, payByHand, say }: Parts) {
  const { db, world, integrationId } = service
  let said: Said[] = []
  /** Payouts of which a debit was called a payment's, and was another one's twice. */
  const mistaken = new Set<string>()

  /** Runs a command as the API does: what is refused is rolled back. `run` returns why it is refused. */
  async function command(name: string, run: (tx: Queryable) => Promise<string | undefined>): Promise<boolean> {
    let why: string | undefined
    try {
      await db.transaction(async (tx) => {
        why = await run(tx)
        if (why !== undefined) throw REFUSED
      })
    } catch (error) {
      if (error !== REFUSED) throw error
    }
    say(`operator: ${name}: ${why ?? 'done'}`)
    return why === undefined
  }
  async function ofPayout(what: Said['what'], payoutId: string, run: (tx: Queryable) => Promise<string | undefined>) {
    const isDone = await command(`${what} ${payoutId}`, run)
    if (isDone) said.push({ what, payoutId })
    return isDone
  }
  const unless = (done: unknown) => (done === undefined ? 'its status' : undefined)

  const retry = (payoutId: string) =>
    ofPayout('retry', payoutId, async (tx) => {
      const maybe = await lockPayeesDebit(tx, payoutId)
      const status = (await findPayout(tx, payoutId))?.status
      if (maybe !== undefined && (status === 'rejected' || status === 'returned')) return maybe
      return unless(await payoutAdmin.retry(tx, payoutId))
    })
  const markPaid = (payoutId: string) =>
    ofPayout('other', payoutId, async (tx) => {
      const endToEndId = (await findPayout(tx, payoutId))?.endToEndId ?? ''
      if ((await payoutAdmin.markPaid(tx, payoutId, 'BY HAND')) === undefined) return 'its status'
      return await withdrawPayment(tx, { payoutId, endToEndId })
    })
  const markUnpaid = (payoutId: string) =>
    ofPayout('mark-unpaid', payoutId, async (tx) => {
      const why = (await findPaymentShown(tx, payoutId)) ?? (await whyMaybePaid(tx, payoutId))
      return why ?? unless(await payoutAdmin.markUnpaid(tx, payoutId, 'the bank says so'))
    })

  /** The payee has it, and the bank will not take back that it paid twice. */
  const isKept = (payoutId: string) =>
    payments.timesPaid(payoutId) > 0 && payments.of(payoutId).every(({ twice }) => twice === 0)

  /** Not where the payee keeps what is owed to it: that was paid. */
  async function mayClaim(payoutId: string): Promise<boolean> {
    const [state] = await db.query<{ status: string }>('select status from payouts where payout_id = $1', [payoutId])
    const isOwed = state?.status === 'returned' || state?.status === 'rejected'
    return !(isOwed && isKept(payoutId))
  }

  /** Its payout is being paid anew: what is not shown yet is not what a line of this payment shows. */
  async function isOlder({ payoutId, endToEndId }: Whose): Promise<boolean> {
    const newer = await db.query(NEWER, [payoutId, endToEndId ?? null])
    return newer.length > 0
  }

  /** What a line is, and what else it may be where that is refused; none where only its file can say. */
  async function explain({ amountMicro, reference, detail, endToEndId }: Line): Promise<Explanation[]> {
    const purpose = account.purposeOf(reference)
    if (purpose === undefined || purpose.kind === 'merged' || purpose.kind === 'part') return []
    const isTogether = purpose.kind === 'together'
    const owner = endToEndId === null ? undefined : service.ownerOf(endToEndId)
    // The rest of an entry beside its payment is the bank's charge.
    if (purpose.kind === 'own funds' || (detail > 1 && !isTogether)) return [{ kind: 'own_funds' }]
    if (purpose.kind === 'mints') return [{ kind: 'mints', integrationId }]
    const named = owner && { payoutId: owner.payoutId, endToEndId: endToEndId ?? '' }
    const whose = isTogether ? (named ?? (await onlyOf(purpose.payments))) : purpose
    const payment = whose && (await findPaymentOf(db, whose.payoutId))
    if (whose === undefined || payment === undefined) return []
    const lineSen = amountMicro / 10_000n
    const beyondSen = lineSen < 0n ? -lineSen - payment.amountSen : payment.amountSen - lineSen
    const said = beyondSen === 0n ? {} : beyondSen > 0n ? { chargesSen: beyondSen } : { surplusSen: -beyondSen }
    const [paid, claimed] = (['payout', 'claim'] as const).map((kind) => ({ kind, ...payment, ...said }))
    // Of two debits of one payment either is the payment's, and whatever comes back closes the claim first.
    const isFirst = lineSen < 0n && !(await mayClaim(payment.payoutId))
    const isTwice = lineSen > 0n || mistaken.has(payment.payoutId) || (await isOlder(whose))
    const ways = isFirst ? [paid] : isTwice ? [claimed, paid] : [paid, claimed]
    return ways.filter((each) => each !== undefined)
  }

  /**
   * What the bank has booked in one sum, or in parts. What was paid before, by another debit, is claimed back; and what comes back closes a claim
   * where there is one.
   */
  async function allocate({ name, lines, payments: whose }: Sum): Promise<void> {
    const sumSen = lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0n) / 10_000n
    const isCredit = sumSen > 0n
    const all = new Map<string, Payment>()
    const twice = new Set<string>()
    for (const each of whose) {
      const { payoutId } = each
      all.set(payoutId, (await findPaymentOf(db, payoutId)) ?? assert.fail(payoutId))
      if (isCredit || mistaken.has(payoutId) || (await isOlder(each))) twice.add(payoutId)
    }
    const paymentsSen = [...all.values()].reduce((sum, { amountSen }) => sum + amountSen, 0n)
    const chargesSen = isCredit ? paymentsSen - sumSen : -sumSen - paymentsSen
    const given = { reason: 'seen', now: world.clock.now }
    const lineNos = lines.map(({ lineNo }) => lineNo)
    // What is refused of one is the other thing perhaps.
    const turned = new Set<string>()
    for (;;) {
      const of = (isTwice: boolean) => [...all.values()].filter(({ payoutId }) => twice.has(payoutId) === isTwice)
      const [payments, claims] = [of(false), of(true)]
      const namesOf = (those: readonly Payment[]) => those.map(({ payoutId }) => payoutId).join(' and ')
      let why = ''
      await command(`allocate ${name} to ${namesOf(payments)}; twice ${namesOf(claims)}`, async (tx) => {
        const allocating = { lineNos, payments, claims, chargesSen }
        const done = await allocateLines({ tx, secrets: TEST_SECRETS }, allocating, given)
        if (done.result === 'allocated') return undefined
        why = done.result === 'contradiction' ? done.sentence : done.result
        return why
      })
      const payoutId = [...all.keys()].find((id) => why.startsWith(`${id}: `))
      if (payoutId === undefined || turned.has(payoutId)) return
      if (!isCredit && !twice.has(payoutId) && !(await mayClaim(payoutId))) return
      turned.add(payoutId)
      if (!twice.delete(payoutId)) twice.add(payoutId)
    }
  }

  async function isShown(payments: readonly Whose[]): Promise<boolean> {
    return (await db.query(SHOWN, [payments.map(({ payoutId }) => payoutId)])).length > 0
  }

  /** What names its file is taken apart by itself, unless a payment in it has a debit already. The rest is put off now and then, until the last day. */
  async function isLeftToUs({ isNamed, payments: all }: Sum, isLast: boolean): Promise<boolean> {
    return isNamed ? await isShown(all) : random.chance(0.6) || isLast
  }

  /** The same of a file of which one payment was left. */
  async function onlyOf(all: readonly Whose[]): Promise<Whose | undefined> {
    return all.length === 1 && (await isShown(all)) ? all[0] : undefined
  }

  /** What gives a debit back that nobody has claimed: it was taken for a payment that was never made. They say so, and what it was. */
  async function lookAgain({ reference }: Line): Promise<void> {
    const purpose = account.purposeOf(reference)
    if (purpose === undefined || !('payoutId' in purpose)) return
    const { payoutId } = purpose
    const lines = await db.query<{ lineNo: bigint; endToEndId: string }>(TOO_MANY, [payoutId])
    for (const { lineNo, endToEndId } of lines) {
      if (payments.get(endToEndId)?.state === 'paid') continue
      const given = { reason: 'it was another payment', now: world.clock.now }
      const isTaken = await command(`take a debit of ${endToEndId} back`, async (tx) => {
        const taken = await takeLineBack({ tx, secrets: TEST_SECRETS }, lineNo, given)
        if (taken.result === 'taken_back') return undefined
        return taken.result === 'refused' ? taken.sentence : taken.result
      })
      if (isTaken) mistaken.add(payoutId)
    }
  }

  async function assign(chance: number, isLast = false): Promise<void> {
    const lines = await db.query<Line>(UNALLOCATED)
    for (const sum of sumsAmong(lines, account)) if (await isLeftToUs(sum, isLast)) await allocate(sum)
    for (const line of lines) {
      if (!random.chance(chance)) continue
      let isExplained = false
      for (const explanation of await explain(line)) {
        const given = { explanation, reason: 'seen', now: world.clock.now }
        const isDone = await command(`assign ${line.reference} to ${explanation.kind}`, async (tx) => {
          const assigned = await assignLine({ tx, secrets: TEST_SECRETS }, line.lineNo, given)
          if (assigned.result === 'assigned') return undefined
          return assigned.result === 'contradiction' ? assigned.sentence : assigned.result
        })
        isExplained = isDone
        if (isDone) break
      }
      if (isLast && !isExplained && line.amountMicro > 0n) await lookAgain(line)
    }
  }

  /** The bank will never carry it out. */
  const isLost = (endToEndId: string) => {
    const payment = payments.get(endToEndId)
    return payment === undefined ? service.isNeverOut(endToEndId) : payment.state === 'lost'
  }

  /** The payee keeps what was paid once more: it is no claim, but the payment. */
  async function keep(payoutId: string): Promise<void> {
    const claim = await findOpenClaimOf(db, payoutId)
    if (claim === undefined) return void (await markPaid(payoutId))
    const [deps, given] = [{ secrets: TEST_SECRETS }, { reason: 'the payee keeps it', now: world.clock.now }]
    const isTaken = await command(`take ${claim.place} back`, async (tx) => {
      const taken = await takeLineBack({ tx, ...deps }, claim.lineNo, given)
      return taken.result === 'taken_back' ? undefined : taken.result
    })
    if (!isTaken || !(await markPaid(payoutId))) return
    const payment = (await findPaymentOf(db, payoutId)) ?? assert.fail(payoutId)
    await command(`assign ${claim.place} to ${payoutId}`, async (tx) => {
      const explanation = { kind: 'payout' as const, ...payment }
      const assigned = await assignLine({ tx, ...deps }, claim.lineNo, { explanation, ...given })
      return assigned.result === 'assigned' ? undefined : assigned.result
    })
  }

  /** One that came back: it is paid again, by its rail or at the counter. */
  async function tendReturned(payoutId: string, chance: number): Promise<void> {
    if (payments.byHandOf(payoutId) > 0) return void (await markPaid(payoutId))
    // Its return was that of a second debit: the payee has it.
    const isOpen = payments.of(payoutId).some(({ state }) => state === 'pending')
    if (!isOpen && payments.timesPaid(payoutId) > 0) {
      if (isKept(payoutId)) await keep(payoutId)
      return
    }
    if (!random.chance(chance)) return
    if (!payByHand || random.chance(0.7)) return void (await retry(payoutId))
    const [first] = payments.of(payoutId)
    if (first === undefined || isOpen || payments.timesPaid(payoutId) > 0) return
    if (await markPaid(payoutId)) bank.payByHand(payoutId, first.amountSen)
  }

  async function tend({ payoutId, status, holdReason, endToEndId }: Case, chance: number): Promise<void> {
    if (status === 'rejected' || status === 'returned') await tendReturned(payoutId, chance)
    else if (status === 'sent' && isLost(endToEndId)) {
      if (!random.chance(chance / 3) || !(await markUnpaid(payoutId))) return
      // A bank that goes on reporting it makes it sent again by the next day.
      if (isKept(payoutId) && (await findOpenClaimOf(db, payoutId)) !== undefined) await keep(payoutId)
    } else if (status === 'queued' && random.chance(0.1)) {
      await ofPayout('other', payoutId, async (tx) => unless(await payoutAdmin.hold(tx, payoutId)))
    } else if (status === 'held' && random.chance(chance)) {
      const newest = payments.get(endToEndId)?.state
      if (holdReason === 'by_operator')
        await ofPayout('other', payoutId, async (tx) => unless(await payoutAdmin.release(tx, payoutId)))
      else if (holdReason === 'other_attempt' && newest !== 'pending' && newest !== 'paid') await markPaid(payoutId)
    }
  }

  return {
    assign,
    /** @param chances that they do now what is to do: say what lines are, and tend payouts */
    async tend(chances: { assign: number; tend: number }): Promise<void> {
      await assign(chances.assign)
      for (const each of await db.query<Case>(CASES)) await tend(each, chances.tend)
    },

    said: () => said.length,
    /** What was said since then. It is forgotten. */
    forgetFrom(place: number): readonly Said[] {
      const since = said.slice(place)
      said = said.slice(0, place)
      return since
    },
    /** Payouts that were retried are retried again. */
    async retryAgain(since: readonly Said[]): Promise<void> {
      for (const { what, payoutId } of since) if (what === 'retry') await retry(payoutId)
    },
    /** What the service's log tells of what was said, and still has its ground, is said again. */
    async sayAgain(since: readonly Said[]): Promise<void> {
      await assign(1)
      for (const { what, payoutId } of since) {
        const [now] = await db.query<Case>(`${CASES.replace('order by', 'where payout_id = $1 order by')}`, [payoutId])
        if (what === 'mark-unpaid' && now !== undefined && payments.get(now.endToEndId)?.state === 'lost')
          await markUnpaid(payoutId)
      }
    },
  }
}
