import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberToHex } from 'viem'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from '../node.ts'
import { findNumberProblems } from './own-numbers.ts'

/** A node at block 100,000 that says this where it is to execute code. */
const saying = (answer: unknown): RpcNode => ({
  label: 'node',
  async request(method) {
    if (method === 'eth_getBlockByNumber') {
      const hash = `0x${'1'.repeat(64)}`
      const fields = { number: numberToHex(100_000), hash, parentHash: hash, timestamp: '0x1' }
      return { ...fields, gasLimit: '0x1c9c380', baseFeePerGas: '0x1' }
    }
    if (answer instanceof Error) throw answer
    return answer
  },
})
const told = (number: number) => numberToHex(number, { size: 32 })

test('numbers that are some blocks apart are the same ones, as those of several nodes behind an address', async () => {
  for (const number of [99_000, 100_000, 101_000])
    assert.deepEqual(await findNumberProblems(saying(told(number))), [], String(number))
  for (const number of [98_999, 101_001, 24_000_000])
    assert.equal((await findNumberProblems(saying(told(number)))).length, 1, String(number))
})

test('a node that executes no such code, however it says so, keeps nobody from settling', async () => {
  for (const answer of [
    new RpcAnswerError('node', -32_602, 'missing to', undefined),
    new RpcUnreachableError('node: eth_call: HTTP 400', { httpStatus: 400 }),
    new RpcUnreachableError('node: eth_call: HTTP 403', { httpStatus: 403 }),
    '0x',
  ])
    assert.deepEqual(await findNumberProblems(saying(answer)), [], String(answer))
})

test('one that is down, or asked too much, has not said that the numbers are right', async () => {
  for (const failure of [
    new RpcAnswerError('node', -32_005, 'limit exceeded', undefined),
    new RpcAnswerError('node', 429, 'exceeded its compute units per second capacity', undefined),
    new RpcAnswerError('node', -32_007, '15/second request limit reached', undefined, 429),
    new RpcUnreachableError('node: eth_call: HTTP 429', { httpStatus: 429 }),
    new RpcUnreachableError('node: eth_call: no answer'),
  ])
    await assert.rejects(findNumberProblems(saying(failure)), failure)
})
