import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type BroadcastVerdict, broadcast, classifyBroadcastError, strongestAnswer } from './broadcast.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'

const answered = (text: string) => classifyBroadcastError(new RpcAnswerError('node', -32000, text, undefined)).verdict

test('a text that says the transaction or its nonce is known means: look it up', () => {
  for (const text of [
    'already known',
    'transaction already imported',
    'nonce too low: next nonce 5',
    'AlreadyKnown',
    'OldNonce',
  ]) {
    assert.equal(answered(text), 'known', text)
  }
  for (const text of ['replacement transaction underpriced', 'could not replace existing tx', 'ReplacementNotAllowed'])
    assert.equal(answered(text), 'outbid', text)
})

test('only texts that are raised before anything is kept count as a rejection', () => {
  for (const text of [
    'intrinsic gas too low',
    'invalid sender',
    'insufficient funds for gas * price + value',
    'tx fee (1.20 ether) exceeds the configured cap (1.00 ether)',
    'Upfront cost exceeds account balance',
    'Transaction fee cap exceeded',
    'Intrinsic gas exceeds gas limit',
    'Wrong chainId',
    'InsufficientFunds, Account balance: 1, cumulative cost: 2',
    'GasLimitExceeded, Gas limit: 1',
  ]) {
    assert.equal(answered(text), 'rejected', text)
  }
  for (const text of [
    'transaction underpriced',
    'max fee per gas less than block base fee: address 0x1',
    'Gas price below current base fee',
    'Gas price below configured minimum gas price',
    'FeeTooLow, EffectivePriorityFeePerGas too low 1',
  ]) {
    assert.equal(answered(text), 'underpriced', text)
  }
})

test('everything else means: maybe sent', () => {
  for (const text of ['internal error', 'txpool is full', 'request timed out', 'method handler crashed', '']) {
    assert.equal(answered(text), 'unknown', text)
  }
  assert.equal(classifyBroadcastError(new RpcUnreachableError('node: no answer')).verdict, 'unknown')
  assert.equal(classifyBroadcastError('what').verdict, 'unknown')
  for (const text of ['insufficient funds', 'already known', 'transaction underpriced'])
    assert.equal(classifyBroadcastError(new RpcUnreachableError(text)).verdict, 'unknown', 'who says so is no node')
})

test('among several answers an acceptance wins, and any doubt beats a rejection', () => {
  const of = (...verdicts: BroadcastVerdict[]) =>
    strongestAnswer(verdicts.map((verdict) => ({ verdict, text: '' }))).verdict
  assert.equal(of('rejected', 'unknown', 'accepted'), 'accepted')
  assert.equal(of('rejected', 'unknown'), 'doubtful')
  assert.equal(of('underpriced', 'unknown'), 'unknown')
  assert.equal(of('rejected', 'unknown', 'known'), 'known')
  assert.equal(of('unknown', 'known'), 'known')
  assert.equal(of('outbid', 'known'), 'known', 'somebody has it')
  assert.equal(of('rejected', 'unknown', 'outbid'), 'outbid')
  assert.equal(of('rejected', 'rejected'), 'rejected')
  assert.equal(of('rejected', 'underpriced'), 'underpriced')
  assert.equal(of(), 'unknown')
  const both = strongestAnswer([
    { verdict: 'rejected', text: 'too dear' },
    { verdict: 'unknown', text: 'b: no answer' },
  ])
  assert.equal(both.text, 'too dear; b: no answer')
})

test('every node gets the bytes exactly once, whatever it answers', async () => {
  const calls: string[] = []
  const node = (label: string, answer: () => Promise<unknown>): RpcNode => ({
    label,
    request(method) {
      calls.push(`${label} ${method}`)
      return answer()
    },
  })
  const failing = node('a', () => Promise.reject(new RpcUnreachableError('a: no answer')))
  const rejecting = node('b', () => Promise.reject(new RpcAnswerError('b', -32000, 'intrinsic gas too low', undefined)))
  const taking = node('c', () => Promise.resolve('0x1'))
  assert.equal((await broadcast([failing, rejecting], '0x02')).verdict, 'doubtful')
  assert.equal((await broadcast([failing, rejecting, taking], '0x02')).verdict, 'accepted')
  assert.equal(calls.length, 5)
})

test('nobody waits for a node that never answers, once another one has the bytes or most have refused them', {
  timeout: 10_000,
}, async () => {
  const node = (answer: Promise<unknown>): RpcNode => ({ label: 'node', request: () => answer })
  const refusal = (text: string) => Promise.reject(new RpcAnswerError('node', -32000, text, undefined))
  const silent = node(new Promise(() => {}))
  assert.equal((await broadcast([silent, node(Promise.resolve('0x1'))], '0x02')).verdict, 'accepted')
  assert.equal((await broadcast([silent, node(refusal('already known'))], '0x02')).verdict, 'known')
  const capped = () => node(refusal('exceeds the configured cap'))
  assert.equal((await broadcast([silent, capped(), capped()], '0x02')).verdict, 'rejected')
})

test('what a node says is kept for operators', async () => {
  assert.equal(
    classifyBroadcastError(new RpcAnswerError('node', -32000, 'Nonce too low', undefined)).text,
    'node: Nonce too low',
  )
  assert.equal(classifyBroadcastError('what').text, 'unreadable error')
  const { text } = await broadcast([{ label: 'taking', request: () => Promise.resolve('0x1') }], '0x02')
  assert.equal(text, 'taking: accepted')
})

test('nodes that cannot be reached say nothing: the others are waited for', { timeout: 10_000 }, async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const late = Promise.withResolvers<unknown>()
  const gone: RpcNode = { label: 'gone', request: () => Promise.reject(new RpcUnreachableError('gone: no answer')) }
  const sending = broadcast([gone, gone, { label: 'late', request: () => late.promise }], '0x02')
  await new Promise(setImmediate)
  t.mock.timers.tick(9_999)
  await new Promise(setImmediate)
  late.resolve('0x1')
  assert.equal((await sending).verdict, 'accepted')
})
