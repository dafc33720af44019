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
import { askAboutRetries } from '../../src/payouts/unretried.ts'
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

const SELDOM_REFUNDED = ['retry', 'retry', 'refund', 'mark-paid']
const OFTEN_REFUNDED = ['retry', 'refund', 'refund', 'mark-paid']

export async function createPaying(
  { db, paying }: { db: Database; paying: Database },
  chain: { config: ChainConfig; nodes: readonly RpcNode[] },
  random: Random,
  say: (what: string) => void,
  isTorn = false,
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
  /** As the service's log has it, which no restore forgets: what was called paid, and as what; the newest payment that people have had made. */
  const calledPaid = new Map<string, string[]>()
  const retried = new Map<string, number>()
  /** Nobody pays until people have done again what a restore has undone, and settlers have read what the chain has. */
  /** Orders that were to mint coin back, and that people have rejected. */
  const rejected = new Set<string>()
  let isPayerAway = false
  let restores = 0
  let awayRounds = 0
  /** For payers what a lost history was about to ask has long been answered. */
  const patient: Database = {
    ...paying,
    query: (text, params) => paying.query(text.replace(`t.created_at < now() - interval '10 minutes'`, 'true'), params),
  }
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
      `select payout_id as "payoutId", attempt, end_to_end_id as id, status from payout_attempts
       union all select payout_id, attempt, end_to_end_id, '' from payouts p where not exists (select from payout_attempts a
         where a.payout_id = p.payout_id and a.attempt = p.attempt) order by 3`,
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
    const deps = { db: patient, rail, secrets: TEST_SECRETS, logger: silent }
    await paying.query(
      `update payouts set next_attempt_at = now() where status in ('queued', 'sent', 'rejected', 'returned') and next_attempt_at > now()`,
    )
    await payDue(deps)
    if (restores > 0 && (isEnd || random.chance(0.3))) await askAboutRetries(deps)
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

  async function payByHand(id: string): Promise<void> {
    const reference = `by hand ${id}/${said++}`
    if (!(await post(id, 'mark-paid', { reference }))) return
    byHand.set(id, (byHand.get(id) ?? 0) + 1)
    calledPaid.set(id, [...(calledPaid.get(id) ?? []), reference])
    held.delete(id)
  }

  /** Its rail gave no answer, and is asked again before anybody can say that its holder, who has the coin, is never paid. */
  async function mayNotEndUnpaid({ id }: Row, holds: readonly Hold[]): Promise<boolean> {
    const against = holds.filter(({ reason }) => AGAINST.test(reason))
    if (!isEnd || against.some(({ reason }) => !/has lost the burn/.test(reason))) return false
    return (await db.query('select from payout_attempts where payout_id = $1', [id])).length > 0
  }

  async function release(row: Row): Promise<void> {
    const payout = await look(row.id)
    const holds: Hold[] = payout.holds ?? []
    for (const reason of held.get(row.id) ?? [])
      if (!holds.some((each) => each.reason === reason))
        wrong.push(`${row.id} is held for ${reason}, and that is not among ${JSON.stringify(holds)}`)
    if (row.holdReason === 'maybe_paid_before' && leftOf(row.id).length > 0) {
      await post(row.id, 'mark-paid', { reference: `found at the bank ${row.id}` })
      return
    }
    if (row.holdReason === 'burn_not_seen' && (await post(row.id, 'resettle', { reason: 'not burnt' }))) {
      held.delete(row.id)
      return
    }
    const isAgainst = holds.some(({ reason }) => AGAINST.test(reason)) || AGAINST.test(payout.beware ?? '')
    if (isAgainst && !(await isBooked(row.orderId)) && !(await mayNotEndUnpaid(row, holds))) return
    const isOthers = row.holdReason === 'other_attempt'
    const isNewestOut = bank.get(row.endToEndId) !== undefined && hasLeft(bank.get(row.endToEndId) as Payment)
    if (isOthers && leftOf(row.id).length > 0) {
      if (!isNewestOut && (await post(row.id, 'mark-paid', { reference: `earlier ${row.id}` }))) held.delete(row.id)
      return
    }
    if (!isEnd && row.holdReason === 'by_operator' && leftOf(row.id).length === 0 && random.chance(0.1)) {
      await payByHand(row.id)
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
    if (/takes that outcome/.test(payout.beware ?? '')) {
      await post(id, 'refund', {})
      return
    }
    if (AGAINST.test(payout.beware ?? '') && !(await isBooked(orderId)))
      return say(`people: leave ${id}: ${payout.beware}`)
    // It was paid by hand while it was held, or in a history that is lost; its own payment was not made, or came back.
    if ((byHand.get(id) ?? 0) > 0 && (restores > 0 || /while it was held/.test(payout.beware ?? ''))) {
      await post(id, 'mark-paid', { reference: `by hand, as before ${id}/${said++}` })
      return
    }
    if (await endUnpaid(row)) return
    const how = random.pick(isTorn ? OFTEN_REFUNDED : SELDOM_REFUNDED)
    if (how === 'mark-paid') {
      // What may be minted back yet is paid by nobody.
      if (leftOf(id).length > 0 || /fence/.test(payout.beware ?? '')) return
      await payByHand(id)
    } else if (await post(id, how, {})) {
      if (how === 'retry') noteRetried(id, row.attempt + 1)
      else if (isTorn && !isEnd && random.chance(0.4)) await holdRefund(id)
    }
  }

  function noteRetried(id: string, attempt: number): void {
    held.delete(id)
    retried.set(id, Math.max(attempt, retried.get(id) ?? 0))
  }

  const isOpen = ({ status }: Row) => ['queued', 'held', 'rejected', 'returned'].includes(status)
  const isCase = ({ status }: Row) => status === 'rejected' || status === 'returned'

  /** docs/OPERATIONS.md, "Backup and restore", step 2. @returns whether all of it is done that is to be before anybody pays */
  async function redo(): Promise<boolean> {
    const rows = new Map((await read('true')).map((row) => [row.id, row]))
    for (const id of byHand.keys()) {
      const row = rows.get(id)
      if (row === undefined || !isOpen(row)) continue
      if (row.status === 'queued' && !(await post(id, 'hold', { reason: 'was paid by hand' }))) continue
      await post(id, 'mark-paid', { reference: `${calledPaid.get(id)?.at(-1)}` })
    }
    for (const [id, attempt] of retried) {
      const row = rows.get(id)
      if (row === undefined || !isCase(row) || row.attempt >= attempt || byHand.has(id)) continue
      if (random.chance(0.8)) await post(id, 'retry', {})
    }
    const now = new Map((await read('true')).map((row) => [row.id, row]))
    for (const [id, reasons] of held) {
      const row = now.get(id)
      if (row === undefined) continue
      if (isPayerAway && row.status !== 'queued' && row.status !== 'held') held.delete(id)
      else await holdAgain(row, reasons)
    }
    return [...held.keys(), ...byHand.keys()].every((id) => now.has(id))
  }

  const readRefunds = async (which: string) =>
    await db.query<{ name: string; isHeld: boolean; reason: string | null }>(
      `select o.reference_id as name, h.order_id is not null as "isHeld", h.reason from orders o left join order_holds h on h.order_id = o.order_id
       where o.chain_id = $1 and o.integration_id = '${REFUNDS}' and o.status = 'pending' and ${which} order by 1`,
      [chainId],
    )

  async function postRefund(name: string, verb: string, body: object): Promise<boolean> {
    const { status, body: answer } = await coin.call(
      'POST',
      `/orders/${REFUNDS}/${encodeURIComponent(name)}/${verb}`,
      body,
    )
    if (status === 500) wrong.push(`${verb} ${name}: ${JSON.stringify(answer)}`)
    say(`people: ${verb} the refund ${name}: ${status === 200 ? 'done' : answer.error?.message}`)
    if (status === 200) add(`${verb} of a refund`)
    return status === 200
  }

  /** People think about it, so that it is pending for a while. */
  async function holdRefund(payoutId: string): Promise<void> {
    for (const { name } of await readRefunds('h.order_id is null'))
      if (name.split('/')[0] === payoutId) await postRefund(name, 'hold', { reason: 'the bank asks for it' })
  }

  /** Some are rejected, so that the payout is paid after all; those that were before a restore are held, and rejected again. */
  async function rejectRefunds(): Promise<void> {
    for (const { name, isHeld } of await readRefunds('true')) {
      const isAgain = rejected.has(name)
      if (!isAgain && (isPayerAway || isEnd || !random.chance(0.15))) continue
      if (await postRefund(name, 'reject', { reason: 'pay it instead' })) rejected.add(name)
      else if (isAgain && !isHeld) await postRefund(name, 'hold', { reason: 'was rejected' })
    }
    for (const { name, reason: held } of await readRefunds('h.order_id is not null')) {
      if (rejected.has(name) || !(isEnd || random.chance(0.2))) continue
      const { holds } = (await coin.call('GET', `/orders/${REFUNDS}/${encodeURIComponent(name)}`)).body
      // Where a node of the operators does not answer, the page of an order does not say more.
      const reasons = holds?.map(({ reason }: Hold) => reason) ?? [held]
      await postRefund(name, 'release', { reason: 'fine', held: reasons })
    }
  }

  async function holdAgain({ id }: Row, reasons: readonly string[]): Promise<void> {
    const holds: Hold[] = (await look(id)).holds ?? []
    for (const reason of reasons) if (!holds.some((each) => each.reason === reason)) await post(id, 'hold', { reason })
  }

  /** Steps 3 to 6: that the chain was read, and nothing that is lost can be executed any more; and that what people have to do again is there. */
  async function beginToPay(): Promise<void> {
    const isAll = await redo()
    const fenced = await db.query(
      `select from chains c join settlement_holds h using (chain_id) where chain_id = $1 and c.fenced_on = database_timeline()
         and h.history_read_on = database_timeline() and h.reason = 'none'`,
      [chainId],
    )
    if (fenced.length === 0) return
    awayRounds += 1
    if (!isAll && awayRounds < 12) return
    say('people: payers begin again')
    add('began again')
    const there = new Set((await read('true')).map(({ id }) => id))
    for (const id of held.keys()) if (!there.has(id)) held.delete(id)
    isPayerAway = false
  }

  async function operate(ends: boolean): Promise<void> {
    isEnd = ends
    moveBank()
    if (isTorn) await rejectRefunds()
    if (isPayerAway) {
      await showStatements()
      await beginToPay()
      for (const row of await read(`p.status in ('rejected', 'returned')`))
        if (!held.has(row.id) && !byHand.has(row.id) && random.chance(0.2)) await goOn(row)
      assert.deepEqual(wrong, [])
      return
    }
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
    mayPay: () => !isPayerAway,
    /** The database is of before, and the bank is not. */
    async restored(): Promise<void> {
      restores += 1
      awayRounds = 0
      isPayerAway = true
      const pending = new Set((await readRefunds('true')).map(({ name }) => name))
      for (const name of rejected) if (!pending.has(name)) rejected.delete(name)
      if (random.chance(0.5)) await rejectRefunds()
      else rejected.clear()
      await redo()
    },
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
      const asked = await db.query<{ id: string }>('select end_to_end_id as id from payout_attempts')
      const known = new Set(asked.map(({ id: name }) => name))
      for (const { payoutId, state } of bank.values())
        if (state !== 'refused')
          assert.ok(
            rows.some(({ id }) => id === payoutId),
            `${payoutId} is ${state}, and gone`,
          )
      for (const id of byHand.keys())
        assert.ok(
          rows.some((row) => row.id === id),
          `${id} was paid by hand, and is gone`,
        )
      let [left, payable, extras] = [0n, 0n, 0n]
      for (const { id, name, status, holdReason, lastError, sen, refunds, extra, isPutRight } of rows) {
        const isPaid = status === 'sent' || status === 'paid' || status === 'paid_by_hand'
        // What a bank has carried out late of what it had refused in a lost history alone is a debit that nothing explains.
        const made = [...bank].filter(
          ([name, each]) => each.payoutId === id && hasLeft(each) && !(each.isLate && !known.has(name)),
        )
        // Of what was paid by hand in a lost history, and that its bank carried out late, one debit is the payout's, and nothing explains the other.
        const isBoth =
          restores > 0 && isPaid && made.some(([, { isLate }]) => isLate) && (byHand.get(id) ?? 0) > 0 && extra === 0
        const times = BigInt(made.length + (byHand.get(id) ?? 0) - (isBoth ? 1 : 0))
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
        const minted = Array.from({ length: restores > 0 ? Math.max(refunds, 6) : refunds }, (_, index) =>
          refundTag(index === 0 ? id : `${id}/${index + 1}`),
        )
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
