/** What the judge says of how orders end, of what clients see of them, and of why they fail. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt, Intent, ListedOrder, Purpose } from './evidence.ts'
import { endsStay, failuresHaveACause, ordersEndAsAcknowledged } from './rules/orders.ts'
import { ALICE, answerOf, attempt, BOB, CHARLIE, type Draft, soundEvidence } from './sound-evidence.ts'

const REFERENCE = 'ref-cancelled'

/** Evidence of one mint that was not confirmed when it was made: these requests came after its creation. */
function unconfirmed(status: string, ...more: readonly (readonly [Purpose, number, told?: string])[]): Draft {
  const sound = soundEvidence()
  const intents = sound.intents.filter(({ reference }) => reference === REFERENCE)
  const [intent] = intents
  if (intent === undefined) throw new Error('no such intent')
  const attempts = more.map(([purpose, answered, told = 'payment_pending'], n) =>
    attempt({ reference: REFERENCE, purpose, key: `k${n}`, status: answered, text: answerOf(intent, told) }),
  )
  const created = attempt({ reference: REFERENCE, key: 'k', status: 201, text: answerOf(intent, 'payment_pending') })
  const orders = sound.orders.filter(({ reference }) => reference === REFERENCE).map((order) => ({ ...order, status }))
  return { ...sound, intents, orders, attempts: [created, ...attempts] }
}

test('a mint ends as its confirmation or cancellation was answered; only what was not answered may have been done', () => {
  const cases: [...more: readonly (readonly [Purpose, number, told?: string])[], ends: string][] = [
    ['payment_pending'],
    [['confirm', 0], 'payment_pending completed failed'],
    [['confirm', 503], 'payment_pending completed failed'],
    [['confirm', 429], 'payment_pending completed failed'],
    [['confirm', 409], 'payment_pending'],
    [['cancel', 0], 'payment_pending cancelled'],
    [['cancel', 409], 'payment_pending'],
    [['cancel', 0], ['confirm', 0], 'payment_pending completed failed cancelled'],
    [['cancel', 409], ['confirm', 0], 'payment_pending completed failed'],
    [['confirm', 201, 'pending'], 'completed failed'],
    [['confirm', 0], ['confirm', 201, 'pending'], ['cancel', 409], 'completed failed'],
    [['cancel', 200, 'cancelled'], 'cancelled'],
    [['confirm', 0], ['cancel', 200, 'cancelled'], 'cancelled'],
    [['look', 200, 'cancelled'], 'payment_pending'],
  ]
  for (const each of cases) {
    const ends = String(each.at(-1)).split(' ')
    const more = each.slice(0, -1) as (readonly [Purpose, number, told?: string])[]
    const taken = ['payment_pending', 'completed', 'failed', 'cancelled'].filter(
      (status) => ordersEndAsAcknowledged(unconfirmed(status, ...more)).length === 0,
    )
    assert.deepEqual(taken, ends, JSON.stringify(more))
  }
})

test('an acknowledged order is found from then on, and what was read of its end stays as it was', () => {
  const evidence = soundEvidence()
  const intent = evidence.intents[0] as Intent
  const look = (startedMs: number, status: number, told = 'pending'): Attempt =>
    attempt({
      reference: intent.reference,
      key: '',
      purpose: 'look',
      status,
      text: answerOf(intent, told),
      startedMs,
      endedMs: startedMs + 10,
    })
  const created = attempt({ reference: intent.reference, key: 'k', status: 201, text: answerOf(intent, 'pending') })
  const again = { ...created, startedMs: 90, endedMs: 100, isReplay: true }
  const refused = { ...created, key: 'other', status: 503, endedMs: 5 }
  const saidOf = (...looks: Attempt[]) =>
    endsStay({ ...evidence, intents: [intent], attempts: [created, again, refused, ...looks] }).map(({ message }) =>
      message.slice(0, 17),
    )
  assert.deepEqual(saidOf(look(6, 404)), [], 'before it was acknowledged')
  assert.deepEqual(saidOf(look(11, 404)), ['was acknowledged,'], 'before it was acknowledged once more')
  assert.deepEqual(saidOf(look(20, 200), look(40, 200, 'completed'), look(60, 200, 'completed')), [])
  assert.deepEqual(saidOf(look(60, 200, 'failed'), look(40, 200, 'completed')), ['changed after its'])
  assert.deepEqual(saidOf(look(40, 200, 'completed'), look(60, 200, 'pending')), ['changed after its'])
  assert.deepEqual(saidOf(look(40, 200, 'completed'), look(45, 200, 'pending')), [], 'asked before that was answered')
  assert.deepEqual(saidOf(look(40, 200, 'completed'), look(60, 503)), [])
})

test('a failure is explained by a frozen wallet on either side, or by coin that never came because of such a failure', () => {
  const [DAVE, ERIN] = [`0x${'d'.repeat(40)}`, `0x${'e'.repeat(40)}`]
  const sound = soundEvidence()
  const unexplained = (frozen: string, ...failed: readonly (readonly [wallet: string, debited: string | null])[]) => {
    const parts = failed.map(([wallet, debited], n) => {
      const same = { reference: `ref-${n}`, wallet }
      const direction = debited === null ? 'MINT' : wallet === debited ? 'REDEEM' : 'TRANSFER'
      return {
        intent: { ...(sound.intents[0] as Intent), ...same, direction, debited } as Intent,
        order: { ...(sound.orders[0] as ListedOrder), ...same, direction, status: 'failed' } as ListedOrder,
      }
    })
    const [intents, orders] = [parts.map(({ intent }) => intent), parts.map(({ order }) => order)]
    return failuresHaveACause({ ...sound, intents, orders, frozenWallets: new Set([frozen]) }).map(
      ({ subject }) => subject,
    )
  }
  assert.deepEqual(unexplained(ALICE, [ALICE, null], [BOB, ALICE], [ALICE, ALICE], [ALICE, CHARLIE]), [])
  assert.deepEqual(unexplained(ALICE, [BOB, null], [CHARLIE, BOB]), ['ref-0', 'ref-1'])
  // Alice is frozen, so Bob gets nothing of hers, nor Charlie of his; Dave and Erin have nothing to do with it.
  assert.deepEqual(unexplained(ALICE, [CHARLIE, BOB], [ERIN, DAVE], [BOB, ALICE]), ['ref-1'])
})
