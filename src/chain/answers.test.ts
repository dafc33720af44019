/** What several nodes say, when some lie, fail or are slow. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeErrorResult } from 'viem'
import { estimateOf, gather, lowerMedian, medianOf } from './answers.ts'
import { coinAbi } from './generated/coin.ts'
import { RpcAnswerError, type RpcNode, RpcUnreachableError } from './node.ts'
import { NoQuorumError } from './quorum.ts'

type Says = bigint | 'paused' | 'unauthorized' | 'error' | 'unreachable' | 'silent'

/** Nodes that give these answers. */
function saying(...says: Says[]): [RpcNode[], (node: RpcNode) => Promise<bigint>] {
  const nodes = says.map((_, index) => ({ label: String(index), request: () => Promise.reject(new Error('unused')) }))
  return [
    nodes,
    ({ label }) => {
      const answer = says[Number(label)]
      if (typeof answer === 'bigint') return Promise.resolve(answer)
      if (answer === 'silent') return new Promise(() => {})
      if (answer === 'unreachable') return Promise.reject(new RpcUnreachableError('down'))
      if (answer === 'paused') return Promise.reject(revert('EnforcedPause'))
      if (answer === 'unauthorized') return Promise.reject(revert('AccessControlBadConfirmation'))
      return Promise.reject(new RpcAnswerError(label, -32000, 'internal error', undefined))
    },
  ]
}

function revert(errorName: 'EnforcedPause' | 'AccessControlBadConfirmation'): RpcAnswerError {
  return new RpcAnswerError('node', 3, 'execution reverted', encodeErrorResult({ abi: coinAbi, errorName }))
}

test('the middle number counts, and of two the lower', () => {
  assert.equal(lowerMedian([5n]), 5n)
  assert.equal(lowerMedian([9n, 5n]), 5n)
  assert.equal(lowerMedian([9n, 1n, 5n]), 5n)
  assert.equal(lowerMedian([10n, 9n, 100n, 1n]), 9n)
})

test('nodes that fail or are silent do not count, and nobody waits for them', async () => {
  assert.equal(await medianOf(...saying('unreachable', 7n, 'error')), 7n)
  assert.equal(await medianOf(...saying('silent', 7n, 8n)), 7n)
  await assert.rejects(medianOf(...saying('unreachable', 'error')), NoQuorumError)
  await assert.rejects(
    medianOf([], () => Promise.resolve(1n)),
    NoQuorumError,
  )
})

test('a revert counts when at least as many nodes foresee it as do not', async () => {
  assert.equal(await estimateOf(...saying('paused', 7n, 9n)), 7n)
  assert.equal(await estimateOf(...saying('silent', 7n, 9n)), 7n)
  assert.equal(await estimateOf(...saying('error', 'unreachable', 9n)), 9n)
  await assert.rejects(estimateOf(...saying('paused', 7n)), /reverted/)
  await assert.rejects(estimateOf(...saying('paused', 7n, 'paused')), /reverted/)
  await assert.rejects(estimateOf(...saying('error', 'error')), NoQuorumError)
})

test('of several reverts the one that most foresee is told', async () => {
  const name = async (...says: Says[]) =>
    await estimateOf(...saying(...says)).catch((error: RpcAnswerError) => String(error.data))
  assert.equal(await name('unauthorized', 'paused', 'paused'), revert('EnforcedPause').data)
  assert.equal(await name('paused', 'unauthorized', 'unauthorized'), revert('AccessControlBadConfirmation').data)
})

test('what comes late, after most have come, is left out; one that is enough ends the wait', async () => {
  const never = new Promise<string>(() => {})
  assert.deepEqual(await gather([never, Promise.resolve('a'), Promise.resolve('b')]), ['a', 'b'])
  assert.deepEqual(await gather([never, never, Promise.resolve('a')], { isEnough: (each) => each === 'a' }), ['a'])
  assert.deepEqual(await gather([]), [])
})

test('two answers that contradict each other wait for the third, which is slow', async () => {
  const slow = async (...says: Says[]) => {
    const [nodes, read] = saying(...says)
    const late = async (node: RpcNode) => {
      if (node.label === '2') await sleep(300)
      return await read(node)
    }
    return { median: () => medianOf(nodes, late), estimate: () => estimateOf(nodes, late) }
  }
  assert.equal(await (await slow(0n, 7n, 8n)).median(), 7n)
  assert.equal(await (await slow(1_000n, 7n, 8n)).median(), 8n)
  assert.equal(await (await slow('paused', 7n, 8n)).estimate(), 7n)
  assert.equal(await (await slow('error', 7n, 8n)).estimate(), 7n)
  // These say one thing, so nobody waits.
  assert.equal(await (await slow(7n, 8n, 1n)).median(), 7n)
})
