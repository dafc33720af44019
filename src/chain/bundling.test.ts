import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, concat, type Hex, numberToHex, size } from 'viem'
import { callsIn } from '../../test/support/bundled-calls.ts'
import { answersIn, bundleOf } from './bundle.ts'
import { bundling } from './bundling.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'

const [A, B]: Address[] = [`0x${'a1'.repeat(20)}`, `0x${'b2'.repeat(20)}`]
const HEAD = { blockHash: '0x01', requireCanonical: true }
const call = (to: Address | undefined, data: Hex) => ({ to: to as Address, data })
const answerOf = (data: Hex): Hex => concat([data, '0xff'])
const packed = (answers: readonly Hex[]) =>
  concat(answers.flatMap((each) => [numberToHex(size(each), { size: 32 }), each]))

test('a bundle holds the calls as they are, and answers are found in what comes back, or nothing is', () => {
  const calls = [call(A, '0x'), call(B, '0x01020304'), call(A, `0x${'ee'.repeat(300)}`)]
  assert.deepEqual(callsIn({ data: bundleOf(calls) }), calls)
  assert.equal(bundleOf([call(A, `0x${'00'.repeat(49_200)}`)]), undefined)
  assert.equal(bundleOf([call(A, `0x${'00'.repeat(70_000)}`), call(B, '0x')]), undefined)
  const answers: Hex[] = ['0x', '0x0102', `0x${'ff'.repeat(100)}`]
  assert.deepEqual(answersIn(packed(answers), 3), answers)
  for (const wrong of [
    packed(answers.slice(1)),
    concat([packed(answers), '0x00']),
    packed(answers).slice(0, -2) as Hex,
    '0x',
  ] as const)
    assert.equal(answersIn(wrong, 3), undefined)
})

/** A node that answers every call by its data, and bundles as `says` does. */
function script() {
  const asked: unknown[][] = []
  const clock = { nowMs: 0 }
  const says = {
    bundle: async (calls: readonly { data: Hex }[]): Promise<unknown> =>
      packed(calls.map(({ data }) => answerOf(data))),
    single: async (data: Hex): Promise<unknown> => answerOf(data),
  }
  const node: RpcNode = {
    label: 'node',
    async request(method, params, timeoutMs) {
      const [first, block] = params
      const calls = callsIn(first)
      asked.push([calls?.length ?? method, block, timeoutMs])
      return calls === undefined ? await says.single((first as { data: Hex }).data) : await says.bundle(calls)
    },
  }
  return { asked, says, clock, node: bundling(node, () => clock.nowMs) }
}

const three = (node: RpcNode) =>
  Promise.allSettled((['0x01', '0x02', '0x03'] as const).map((data) => node.request('eth_call', [call(A, data), HEAD])))
const VALUES = (['0x01', '0x02', '0x03'] as const).map((data) => ({ status: 'fulfilled', value: answerOf(data) }))

test('calls at one block go together, each with its own answer; one alone, of a sender or in a hurry goes as it is', async () => {
  const { node, asked } = script()
  assert.equal(node.label, 'node')
  const [together, other] = await Promise.all([three(node), node.request('eth_call', [call(B, '0x04'), 'latest'])])
  assert.deepEqual([together, other], [VALUES, answerOf('0x04')])
  assert.deepEqual(asked.splice(0), [
    [3, HEAD, undefined],
    ['eth_call', 'latest', undefined],
  ])
  await Promise.all([
    node.request('eth_call', [{ ...call(A, '0x01'), from: B }, HEAD]),
    node.request('eth_call', [call(undefined, '0x02'), HEAD]),
    node.request('eth_call', [call(A, '0x03'), HEAD], 7),
    node.request('eth_getBalance', [call(A, '0x04'), HEAD]),
  ])
  assert.deepEqual(
    asked.map(([what, , timeoutMs]) => [what, timeoutMs]),
    [
      ['eth_call', undefined],
      ['eth_call', undefined],
      ['eth_call', 7],
      ['eth_getBalance', undefined],
    ],
  )
  asked.length = 0
  await Promise.all(
    Array.from({ length: 33 }, (_, n) => node.request('eth_call', [call(A, numberToHex(n, { size: 4 })), HEAD])),
  )
  assert.deepEqual(
    asked.map(([what]) => what),
    [32, 'eth_call'],
  )
})

test('where one of them fails, each has its own end, and the next ones go together again', async () => {
  const { node, asked, says } = script()
  const revert = new RpcAnswerError('node', 3, 'execution reverted', '0x')
  says.bundle = () => Promise.reject(revert)
  says.single = async (data) => {
    if (data === '0x02') throw revert
    return answerOf(data)
  }
  assert.deepEqual(await three(node), [VALUES[0], { status: 'rejected', reason: revert }, VALUES[2]])
  await three(node)
  assert.deepEqual(
    asked.map(([what]) => what),
    [3, 'eth_call', 'eth_call', 'eth_call', 3, 'eth_call', 'eth_call', 'eth_call'],
  )
})

test('a node that takes no bundles, or answers them with something else, is asked for each call, and spared bundles for a while', async () => {
  for (const refuse of [
    () => Promise.reject(new RpcAnswerError('node', -32602, 'missing field "to"', undefined)),
    () => Promise.reject(new RpcUnreachableError('HTTP status 400', { httpStatus: 400 })),
    async () => '0x',
    async () => undefined,
  ]) {
    const { node, asked, says, clock } = script()
    says.bundle = refuse
    assert.deepEqual(await three(node), VALUES)
    assert.deepEqual(asked.splice(0).length, 4)
    clock.nowMs = 599_999
    assert.deepEqual(await three(node), VALUES)
    assert.deepEqual(asked.splice(0).length, 3)
    clock.nowMs = 600_000
    await three(node)
    assert.deepEqual(asked.length, 4)
  }
})

test('a node that is down or asked too much is not asked for each call on top', async () => {
  for (const error of [
    new RpcUnreachableError('HTTP status 429', { httpStatus: 429 }),
    new RpcUnreachableError('HTTP status 503', { httpStatus: 503 }),
    new RpcAnswerError('node', -32005, 'limit exceeded', undefined),
    new RpcAnswerError('node', 429, 'exceeded its compute units per second capacity', undefined),
    new RpcAnswerError('node', -32007, '15/second request limit reached', undefined, 429),
  ]) {
    const { node, asked, says } = script()
    says.bundle = () => Promise.reject(error)
    const failed = { status: 'rejected', reason: error }
    assert.deepEqual(await three(node), [failed, failed, failed])
    await three(node)
    assert.deepEqual(
      asked.map(([what]) => what),
      [3, 3],
    )
  }
})

test('where a node was silent each call is sent by itself the next time, so that a slow one keeps no other from its answer', async () => {
  const silent = new RpcUnreachableError('no answer within 5000 ms')
  const failed = { status: 'rejected', reason: silent }
  const { node, asked, says, clock } = script()
  const counts = () => asked.splice(0).map(([what]) => what)
  says.bundle = () => Promise.reject(silent)
  says.single = async (data) => {
    if (data === '0x02') throw silent
    return answerOf(data)
  }
  // It may be a slow one, and it may be nothing: two bundles must have gone without an answer before none are sent for a while.
  for (const _ of [1, 2]) {
    assert.deepEqual(await three(node), [failed, failed, failed])
    assert.deepEqual(await three(node), [VALUES[0], failed, VALUES[2]])
  }
  assert.deepEqual(await three(node), [VALUES[0], failed, VALUES[2]])
  const each = ['eth_call', 'eth_call', 'eth_call']
  assert.deepEqual(counts(), [3, ...each, 3, ...each, ...each])
  clock.nowMs = 600_000
  // A node that is down is silent to each.
  says.single = () => Promise.reject(silent)
  for (const _ of [1, 2, 3]) assert.deepEqual(await three(node), [failed, failed, failed])
  assert.deepEqual(counts(), [3, ...each, 3])
  // And one that was silent for a moment is asked as before.
  const other = script()
  other.says.bundle = () => Promise.reject(silent)
  await three(other.node)
  const { bundle } = script().says
  other.says.bundle = bundle
  for (const _ of [1, 2, 3]) assert.deepEqual(await three(other.node), VALUES)
  assert.deepEqual(
    other.asked.map(([what]) => what),
    [3, ...each, 3, 3],
  )
})
