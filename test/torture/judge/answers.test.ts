/** Which answers the judge takes, and which it does not: one too many in its lists, and it would be blind to it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Attempt, Direction, Purpose } from './evidence.ts'
import { answersAreAllowed, answersTellTheOrder, replaysAreEqual } from './rules/answers.ts'
import { acknowledgedOrdersExist } from './rules/orders.ts'
import { answerOf, attempt, type Draft, soundEvidence } from './sound-evidence.ts'

const REFERENCES: Record<Direction, string> = { MINT: 'ref-mint', REDEEM: 'ref-redeem', TRANSFER: 'ref-transfer' }

/** An answer to a request under a key of its own: status, code, and what the text says. */
type Answer = readonly [purpose: Purpose, direction: Direction, status: number, code?: string, text?: string]

const ABOVE = '{"error":{"meta":{"reason":"above_chain_limit"}}}'
const DAY_CAP = '{"error":{"meta":{"reason":"mint_day_cap"}}}'

const RIGHT: readonly Answer[] = [
  ...(['MINT', 'REDEEM', 'TRANSFER'] as const).flatMap((direction): Answer[] => [
    ['create', direction, 0],
    ['create', direction, 201],
    ['create', direction, 502, 'SETTLEMENT_FAILED'],
    ['create', direction, 503, 'SERVICE_UNAVAILABLE'],
    ['same reference, other key', direction, 201],
    ['look', direction, 200],
    ['look', direction, 404, 'NOT_FOUND'],
  ]),
  ['create', 'MINT', 400, 'POLICY_REJECTED', ABOVE],
  ['create', 'REDEEM', 400, 'INSUFFICIENT_BALANCE'],
  ['create', 'REDEEM', 400, 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED'],
  ['create', 'TRANSFER', 400, 'INSUFFICIENT_BALANCE'],
  ['create', 'TRANSFER', 400, 'TRANSFER_DAILY_CAP_EXCEEDED'],
  ['create', 'TRANSFER', 403, 'RECIPIENT_NOT_PERMITTED'],
  ['same reference, other details', 'MINT', 201],
  ['same reference, other details', 'TRANSFER', 201],
  ['same reference, other details', 'REDEEM', 409, 'IDEMPOTENCY_CONFLICT'],
  ['confirm', 'MINT', 201],
  ['cancel', 'MINT', 200],
  ['cancel', 'MINT', 409, 'ORDER_NOT_CANCELLABLE'],
]

const WRONG: readonly Answer[] = [
  ...(['MINT', 'REDEEM', 'TRANSFER'] as const).flatMap((direction): Answer[] => [
    ['create', direction, 200],
    ['create', direction, 409, 'IDEMPOTENCY_CONFLICT'],
    ['create', direction, 500, 'SERVER_ERROR'],
    ['create', direction, 502, 'SERVER_ERROR'],
    ['create', direction, 503, 'SETTLEMENT_FAILED'],
    ['look', direction, 201],
    ['look', direction, 403, 'FORBIDDEN'],
  ]),
  ['create', 'MINT', 400, 'POLICY_REJECTED', '{"error":{"meta":{"reason":"frozen"}}}'],
  ['create', 'MINT', 403, 'POLICY_REJECTED', ABOVE],
  ['create', 'MINT', 400, 'INVALID_AMOUNT', ABOVE],
  ['create', 'MINT', 400, 'INSUFFICIENT_BALANCE'],
  ['create', 'MINT', 400, 'POLICY_REJECTED', DAY_CAP],
  ['create', 'REDEEM', 403, 'POLICY_REJECTED', ABOVE],
  ['create', 'REDEEM', 400, 'TRANSFER_DAILY_CAP_EXCEEDED'],
  ['create', 'TRANSFER', 400, 'MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED'],
  ['look', 'TRANSFER', 400, 'POLICY_REJECTED', ABOVE],
  ['same reference, other details', 'MINT', 409, 'IDEMPOTENCY_CONFLICT'],
  ['same reference, other details', 'TRANSFER', 409, 'IDEMPOTENCY_CONFLICT'],
  ['same reference, other details', 'REDEEM', 201],
  ['confirm', 'MINT', 200],
  ['confirm', 'MINT', 409, 'ORDER_NOT_CANCELLABLE'],
  ['cancel', 'MINT', 201],
]

function added([purpose, direction, status, code = '', text = '{}']: Answer, key = 'its own'): Attempt {
  return attempt({ purpose, reference: REFERENCES[direction], key, status, code, text })
}

/** What the judge says of answers that are added to sound evidence. */
function saidOf(evidence: Draft, ...attempts: readonly Attempt[]): string[] {
  evidence.attempts.push(...attempts)
  return answersAreAllowed(evidence).map(({ subject, message }) => `${subject}: ${message}`)
}

test('every answer that the contract allows is taken', () => {
  for (const answer of RIGHT) assert.deepEqual(saidOf(soundEvidence(), added(answer)), [], answer.join(' '))
})

test('every other answer is told, with its request, its status and its words', () => {
  for (const answer of WRONG) {
    const [purpose, direction, status, code = '', text = '{}'] = answer
    assert.deepEqual(saidOf(soundEvidence(), added(answer)), [
      `${REFERENCES[direction]}: "${purpose}" of a ${direction} was answered ${status} ${code}: ${text}`,
    ])
  }
})

test('a cap on the mints of a day excuses refusals of its own key alone', () => {
  const refused = added(['create', 'MINT', 400, 'POLICY_REJECTED', DAY_CAP])
  const capOf = (keyId: string, mintDayCapMicro: bigint | null) => {
    const evidence = soundEvidence()
    evidence.keys = [{ keyId, transferDayCapMicro: null, mintDayCapMicro }]
    return saidOf(evidence, refused)
  }
  assert.deepEqual(capOf('key-1', 1n), [])
  assert.equal(capOf('key-2', 1n).length, 1)
  assert.equal(capOf('key-1', null).length, 1)
})

test('another body conflicts with what its key was acknowledged for, and is a new request where it was not', () => {
  const conflict: Answer = ['same key, other body', 'REDEEM', 409, 'IDEMPOTENCY_CONFLICT']
  const accepted: Answer = ['same key, other body', 'REDEEM', 201]
  const first = added(['create', 'REDEEM', 201], 'k')
  const refused = added(['create', 'REDEEM', 400, 'INSUFFICIENT_BALANCE'], 'k')
  assert.deepEqual(saidOf(soundEvidence(), first, added(conflict, 'k')), [])
  assert.equal(saidOf(soundEvidence(), first, added(accepted, 'k')).length, 1)
  assert.deepEqual(saidOf(soundEvidence(), refused, added(accepted, 'k')), [])
  assert.equal(saidOf(soundEvidence(), refused, added(conflict, 'k')).length, 1)
  // What was acknowledged under another key says nothing about this one.
  assert.deepEqual(saidOf(soundEvidence(), first, added(accepted, 'another')), [])
})

test('an answer that tells another amount, wallet or direction is told, each alone', () => {
  const { amountMicro, wallet, direction } = soundEvidence().intents[0] ?? assert.fail()
  const told = { reference: 'ref-mint', direction, amountMicro, wallet }
  const isFound = (change: Partial<typeof told>) => {
    const evidence = soundEvidence()
    const text = answerOf({ ...told, ...change }, 'pending')
    evidence.attempts.push(attempt({ reference: 'ref-mint', key: 'its own', status: 201, text }))
    return answersTellTheOrder(evidence).length === 1
  }
  assert.equal(isFound({}), false)
  assert.equal(isFound({ amountMicro: amountMicro + 1n }), true)
  assert.equal(isFound({ wallet: `0x${'d'.repeat(40)}` }), true)
  assert.equal(isFound({ direction: 'TRANSFER' }), true)
  // Addresses may be written with capitals.
  assert.equal(isFound({ wallet: wallet.toUpperCase().replace('0X', '0x') }), false)
})

test('repetitions are compared within their key, and a conflict is no repetition', () => {
  const one = attempt({ reference: 'ref-mint', key: 'a', status: 201, text: 'one' })
  const of = (...attempts: Attempt[]) => replaysAreEqual({ ...soundEvidence(), attempts }).map(({ message }) => message)
  assert.deepEqual(of(one, { ...one, key: 'b', text: 'other' }), [])
  assert.deepEqual(of(one, { ...one, text: 'other', isReplay: true }), ['differ: 201 one | 201 other'])
  assert.deepEqual(of(one, { ...one, status: 200, isReplay: true }), ['differ: 201 one | 200 one'])
  assert.deepEqual(of(one, { ...one, purpose: 'same key, other body', text: 'other' }), [])
  assert.deepEqual(of(one, { ...one, status: 503, text: 'other' }), [])
  assert.deepEqual(of({ ...one, key: '' }, { ...one, key: '', text: 'other' }), [])
})

test('only a refusal for good says that there is no order', () => {
  const withOnly = (status: number, code: string) => {
    const evidence = soundEvidence()
    const only = attempt({ reference: 'ref-failed', key: 'k', status, code, text: '{}' })
    evidence.attempts = [...evidence.attempts.filter(({ reference }) => reference !== 'ref-failed'), only]
    return acknowledgedOrdersExist(evidence).map(({ message }) => message)
  }
  assert.deepEqual(withOnly(400, 'POLICY_REJECTED'), ['was refused and yet exists'])
  assert.deepEqual(withOnly(403, 'FORBIDDEN'), ['was refused and yet exists'])
  // These are tried again with the same key, and may have done their work.
  for (const status of [0, 429, 500, 503]) assert.deepEqual(withOnly(status, 'X'), [], `${status}`)
})

test('only an acknowledged order is lost when it is not there', () => {
  const without = (status: number) => {
    const evidence = soundEvidence()
    evidence.orders = evidence.orders.filter(({ reference }) => reference !== 'ref-mint')
    evidence.tables = { ...evidence.tables, orderCount: evidence.orders.length }
    const only = attempt({ reference: 'ref-mint', key: 'k', status, text: '{}' })
    const look = attempt({ reference: 'ref-mint', key: '', status: 200, text: '{}', purpose: 'look' })
    evidence.attempts = [...evidence.attempts.filter(({ reference }) => reference !== 'ref-mint'), only, look]
    return acknowledgedOrdersExist(evidence).map(({ message }) => message)
  }
  assert.deepEqual(without(201), ['was acknowledged and is lost'])
  for (const status of [0, 300, 400, 503]) assert.deepEqual(without(status), [], `${status}`)
})
