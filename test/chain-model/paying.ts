/**
 * A bank, and people, for the payouts of a fickle life: payments are taken, refused, carried out or not, late, and given back; people hold payouts, let
 * them go, have them paid again, by hand, or their coin minted back, by the operator API and as it tells them to. And whether ringgit is what it should be.
 */
import assert from 'node:assert/strict'
import { pino } from 'pino'
import type { RpcNode } from '../../src/chain/node.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { watchSent } from '../../src/payouts/payer.ts'
import type { RailAnswer, RailStatus } from '../../src/payouts/rail.ts'
import { markPaid, markReturned } from '../../src/payouts/record-news.ts'
import { REFUNDS } from '../../src/values/house.ts'
import { refundTag } from '../../src/values/order-tag.ts'
import { chainDouble, startOperator } from '../operator/fixture.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import type { TestDatabase } from '../support/database.ts'
import { payDue } from '../support/pay-due.ts'
import type { Random } from '../support/random.ts'
import type { ModelBlock } from './blocks.ts'
import { doneOn } from './done.ts'

const silent = pino({ level: 'silent' })

/** As it is at the bank, whatever anybody was told. */
type Payment = { payoutId: string; amountSen: bigint; state: 'taken' | 'paid' | 'returned' | 'refused'; isLate?: true }
type Row = {
  id: string
  orderId: bigint
  name: string
  status: string
  attempt: number
  endToEndId: string
  holdReason: string | null
}
type Hold = { reason: string; by: string | null }

export type Paying = Awaited<ReturnType<typeof createPaying>>

/** Whoever reads this does nothing but make good. */
const AGAINST =
  /has lost the burn|has refused that|executed a refund|has executed|was minted back|may be executed|minted the coin/

export async function createPaying(
  { db, paying }: { db: Database; paying: Database },
  chain: { config: ChainConfig; nodes: readonly RpcNode[] },
  random: Random,
  say: (what: string) => void,
) {
  const { chainId } = chain.config
  const double = chainDouble(chainId).chain
  const coin = await startOperator({
    db: db as TestDatabase,
    chains: [{ ...double, config: chain.config, nodes: chain.nodes } as unknown as typeof double],
    secrets: TEST_SECRETS,
  })
  const bank = new Map<string, Payment>()
  const byHand = new Map<string, number>()
  /** What people hold, by payout, and have not let go. */
  const held = new Map<string, string[]>()
  const wrong: string[] = []
  const count: Record<string, number> = {}
  const add = (what: string) => {
    count[what] = (count[what] ?? 0) + 1
  }
  let isEnd = false
  let said = 0

  const hasLeft = ({ state }: Payment) => state === 'taken' || state === 'paid'
  const leftOf = (payoutId: string) => [...bank.values()].filter((each) => each.payoutId === payoutId && hasLeft(each))

  function take(endToEndId: string, { payoutId, amountSen }: { payoutId: string; amountSen: bigint }): Payment {
    const known = bank.get(endToEndId)
    if (known !== undefined) return known
    if (held.has(payoutId)) wrong.push(`${payoutId} is paid, and held for ${held.get(payoutId)}`)
    // Nobody was told of what it has refused before, and carried out since.
    if (leftOf(payoutId).some(({ isLate }) => !isLate)) wrong.push(`${payoutId} is paid once more as ${endToEndId}`)
    if ((byHand.get(payoutId) ?? 0) > 0) wrong.push(`${payoutId} is paid as ${endToEndId}, and was by hand`)
    const made: Payment = { payoutId, amountSen, state: !isEnd && random.chance(0.3) ? 'refused' : 'taken' }
    bank.set(endToEndId, made)
    say(`bank: ${payoutId} ${endToEndId} is ${made.state}`)
    return made
  }

  const answerOf = ({ state }: Payment, id: string): RailAnswer =>
    state === 'refused' ? { result: 'refused', reason: 'closed account' } : { result: 'accepted', railReference: id }
  const silence = { result: 'unknown', reason: 'no answer' } as const
  const isSilent = () => !isEnd && random.chance(0.3)
  const rail = {
    name: 'http',
    async initiate(instruction: { payoutId: string; endToEndId: string; amountSen: bigint }): Promise<RailAnswer> {
      if (isSilent() && random.chance(0.5)) return silence
      const payment = take(instruction.endToEndId, instruction)
      return isSilent() ? silence : answerOf(payment, instruction.endToEndId)
    },
    async status({ endToEndId }: { endToEndId: string }): Promise<RailStatus> {
      const payment = bank.get(endToEndId)
      if (isSilent()) return silence
      if (payment === undefined) return { result: 'none' }
      const at = { reference: `ref ${endToEndId}`, effectiveAt: new Date() }
      if (payment.state === 'paid') return { result: 'paid', ...at }
      if (payment.state === 'returned') return { result: 'returned', reason: 'account closed since', ...at }
      return answerOf(payment, endToEndId)
    },
  }

  function moveBank(): void {
    for (const [id, payment] of bank) {
      const before = payment.state
      if (before === 'taken' && (isEnd || random.chance(0.3)))
        payment.state = !isEnd && random.chance(0.25) ? 'refused' : 'paid'
      else if (before === 'paid' && !isEnd && random.chance(0.1)) payment.state = 'returned'
      else if (before === 'refused' && !isEnd && random.chance(0.02))
        Object.assign(payment, { state: 'paid', isLate: true })
      if (payment.state !== before) say(`bank: ${payment.payoutId} ${id} was ${before}, is ${payment.state}`)
    }
  }

  const read = async (which: string): Promise<Row[]> =>
    await db.query<Row>(
      `select p.payout_id as id, p.order_id as "orderId", p.status, p.attempt, p.end_to_end_id as "endToEndId", p.hold_reason as "holdReason",
         o.integration_id || '/' || o.reference_id as name
       from payouts p join orders o using (order_id) where o.chain_id = $1 and ${which} order by p.payout_id`,
      [chainId],
    )

  /** Statements show what the bank has made of payments. */
  async function showStatements(): Promise<void> {
    const known = await db.query<{ payoutId: string; attempt: number; id: string; status: string }>(
      'select payout_id as "payoutId", attempt, end_to_end_id as id, status from payout_attempts order by 3',
    )
    for (const { payoutId, attempt, id, status } of known) {
      const state = bank.get(id)?.state
      if ((state !== 'paid' && state !== 'returned') || status === state || !(isEnd || random.chance(0.4))) continue
      const line = { bankAccount: 'main', reference: `line ${id}`, effectiveAt: new Date(), isShown: true } as const
      const done = await paying.transaction((tx) =>
        state === 'paid'
          ? markPaid(tx, { payoutId, attempt }, line)
          : markReturned(tx, { payoutId, attempt }, { ...line, reason: 'account closed since' }),
      )
      say(`statement: ${id} ${state}: ${JSON.stringify(done)}`)
      add(`shown ${state}`)
    }
  }

  async function pay(): Promise<void> {
    const deps = { db: paying, rail, secrets: TEST_SECRETS, logger: silent }
    await paying.query(
      `update payouts set next_attempt_at = now() where status in ('queued', 'sent') and next_attempt_at > now()`,
    )
    await payDue(deps)
    if (isEnd || random.chance(0.5)) await watchSent(deps)
  }

  async function post(id: string, verb: string, body: object): Promise<boolean> {
    const { status, body: answer } = await coin.call('POST', `/payouts/${id}/${verb}`, body)
    if (status === 500) wrong.push(`${verb} ${id}: ${JSON.stringify(answer)}`)
    say(`people: ${verb} ${id} ${JSON.stringify(body)}: ${status === 200 ? 'done' : answer.error?.message}`)
    if (status === 200) add(verb)
    return status === 200
  }
  const look = async (id: string) => (await coin.call('GET', `/payouts/${id}`)).body.payout

  async function hold({ id }: Row): Promise<void> {
    said += 1
    const reason = `the police, letter ${said}.`
    if (await post(id, 'hold', { reason })) held.set(id, [...(held.get(id) ?? []), reason])
  }

  async function release(row: Row): Promise<void> {
    const payout = await look(row.id)
    const holds: Hold[] = payout.holds ?? []
    for (const reason of held.get(row.id) ?? [])
      if (!holds.some((each) => each.reason === reason))
        wrong.push(`${row.id} is held for ${reason}, and that is not among ${JSON.stringify(holds)}`)
    if (row.holdReason === 'burn_not_seen' && (await post(row.id, 'resettle', { reason: 'not burnt' }))) {
      held.delete(row.id)
      return
    }
    const isAgainst = holds.some(({ reason }) => AGAINST.test(reason)) || AGAINST.test(payout.beware ?? '')
    if (isAgainst && !(await isBooked(row.orderId))) return
    const isOthers = row.holdReason === 'other_attempt'
    const isNewestOut = bank.get(row.endToEndId) !== undefined && hasLeft(bank.get(row.endToEndId) as Payment)
    if (isOthers && leftOf(row.id).length > 0) {
      if (!isNewestOut && (await post(row.id, 'mark-paid', { reference: `earlier ${row.id}` }))) held.delete(row.id)
      return
    }
    if (!isEnd && row.holdReason === 'by_operator' && leftOf(row.id).length === 0 && random.chance(0.1)) {
      if (await post(row.id, 'mark-paid', { reference: `by hand ${row.id}/${said++}` })) {
        byHand.set(row.id, (byHand.get(row.id) ?? 0) + 1)
        held.delete(row.id)
      }
      return
    }
    if (await post(row.id, 'release', { reason: 'fine', held: holds.map(({ reason }) => reason) })) held.delete(row.id)
  }

  /** Its burn is lost, and its integration owes the ringgit already. */
  const isBooked = async (orderId: bigint) =>
    (await db.query('select from lost_orders where order_id = $1 and closed_at is not null and not undone', [orderId]))
      .length > 0

  /** Its payment came back since. */
  async function endUnpaid({ id, orderId, name }: Row): Promise<boolean> {
    if (leftOf(id).length > 0 || !(await isBooked(orderId)) || random.chance(0.5)) return false
    const { status, body } = await coin.call('POST', `/orders/${name}/make-good`, { reason: 'unwanted', unpaid: true })
    say(`people: ${name} is never paid: ${status === 200 ? 'done' : body.error?.message}`)
    if (status !== 200) return false
    add('unpaid')
    held.delete(id)
    return true
  }

  async function goOn(row: Row): Promise<void> {
    const { id, orderId } = row
    const payout = await look(id)
    for (const reason of held.get(id) ?? [])
      if (!String(payout.beware).includes(reason))
        wrong.push(`${id} came back, and was held for ${reason}: ${payout.beware}`)
    if (AGAINST.test(payout.beware ?? '') && !(await isBooked(orderId)))
      return say(`people: leave ${id}: ${payout.beware}`)
    // It was paid by hand while it was held; its own payment was not made, or came back.
    if ((byHand.get(id) ?? 0) > 0 && /while it was held/.test(payout.beware ?? '')) {
      await post(id, 'mark-paid', { reference: `by hand, as before ${id}/${said++}` })
      return
    }
    if (await endUnpaid(row)) return
    const how = random.pick(['retry', 'retry', 'refund', 'mark-paid'])
    if (how === 'mark-paid') {
      if (leftOf(id).length > 0 || !(await post(id, how, { reference: `by hand ${id}/${said++}` }))) return
      byHand.set(id, (byHand.get(id) ?? 0) + 1)
      held.delete(id)
    } else if ((await post(id, how, {})) && how === 'retry') held.delete(id)
  }

  async function operate(ends: boolean): Promise<void> {
    isEnd = ends
    moveBank()
    await pay()
    await showStatements()
    if (!isEnd) for (const row of await read(`p.status in ('queued', 'held')`)) if (random.chance(0.2)) await hold(row)
    for (const row of await read(`p.status = 'held'`)) if (isEnd || random.chance(0.3)) await release(row)
    for (const row of await read(`p.status in ('rejected', 'returned')`))
      if (isEnd || random.chance(0.5)) await goOn(row)
    assert.deepEqual(wrong, [])
  }

  return {
    count,
    operate,
    isAnyLeft: async (): Promise<boolean> => {
      const rows = await db.query(
        `select from orders where integration_id = '${REFUNDS}' and chain_id = $1 and status in ('pending', 'processing')
         union all select from payouts where status in ('queued', 'held', 'sent', 'rejected', 'returned')`,
        [chainId],
      )
      return rows.length > 0
    },
    /** Ringgit: what the books, and each payout, say is what the bank, and people, have paid; and who was paid has no coin for it. */
    async judge(blocks: readonly ModelBlock[], tagOf: (name: string) => string | undefined): Promise<void> {
      assert.deepEqual(wrong, [])
      const balances = await readBalances(db)
      const sum = (...kinds: string[]) =>
        balances
          .filter(({ kind }) => kinds.includes(kind))
          .reduce((total, { balanceMicro }) => total + balanceMicro, 0n)
      const rows = await db.query<{
        id: string
        name: string
        status: string
        holdReason: string | null
        lastError: string | null
        sen: bigint
        refunds: number
        extra: number
        isPutRight: boolean
      }>(
        `select p.payout_id as id, o.integration_id || '/' || o.reference_id as name, p.status, p.hold_reason as "holdReason", p.last_error as "lastError", p.amount_sen as sen, p.refunds::int as refunds,
           (select count(*) from payout_attempts a where a.payout_id = p.payout_id and a.is_extra and a.status in ('sent', 'paid'))::int as extra,
           exists (select from lost_orders l left join orders r on r.order_id = l.order_id where l.order_id = p.order_id
             or r.integration_id = '${REFUNDS}' and split_part(r.reference_id, '/', 1) = p.payout_id) as "isPutRight"
         from payouts p join orders o using (order_id) order by 1`,
      )
      const done = doneOn(blocks)
      let [left, payable, extras] = [0n, 0n, 0n]
      for (const { id, name, status, holdReason, lastError, sen, refunds, extra, isPutRight } of rows) {
        const times = BigInt(leftOf(id).length + (byHand.get(id) ?? 0))
        const isPaid = status === 'sent' || status === 'paid' || status === 'paid_by_hand'
        assert.equal(
          times,
          BigInt(extra) + (isPaid ? 1n : 0n),
          `${name} (${id}) is ${status}, and was paid ${times} times`,
        )
        left += times * sen
        extras += BigInt(extra) * sen
        if (!isPaid && status !== 'refunded') {
          payable += sen
          assert.fail(`${name} (${id}) is ${status}: ${holdReason} ${lastError}`)
        }
        if (isPutRight) continue
        const minted = Array.from({ length: refunds }, (_, index) => refundTag(index === 0 ? id : `${id}/${index + 1}`))
        const back = minted.reduce((total, tag) => total + (done.get(tag)?.times ?? 0), 0)
        const gone = (done.get(tagOf(name) ?? '')?.times ?? 0) - back
        assert.equal(gone, isPaid ? 1 : 0, `${name} (${id}) is ${status}, and its coin is gone ${gone} times`)
      }
      assert.equal(sum('reserve', 'payout_clearing'), -left * 10_000n, 'the ringgit that left')
      assert.equal(sum('redeem_payable'), -payable * 10_000n, 'what is payable')
      assert.equal(sum('unallocated'), extras * 10_000n, 'what was paid too much')
    },
    close: () => coin.close(),
  }
}
