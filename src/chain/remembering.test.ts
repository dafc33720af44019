import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RpcNode } from './node.ts'
import { remembering } from './remembering.ts'

function script() {
  let asked = 0
  const says = { answer: async (): Promise<unknown> => asked }
  const node: RpcNode = {
    label: 'node',
    request: () => {
      asked += 1
      return says.answer()
    },
  }
  return { node: remembering(node), says, asked: () => asked }
}

const AT_HASH = { blockHash: '0x01', requireCanonical: true }

test('what a node says of state at a block named by its hash, of a block by number, and of a mined transaction, is kept', async () => {
  for (const [method, params] of [
    ['eth_call', [{ to: '0x0a', data: '0x' }, AT_HASH]],
    ['eth_getTransactionCount', ['0x0a', AT_HASH]],
    ['eth_getStorageAt', ['0x0a', '0x0', AT_HASH]],
    ['eth_getBlockByNumber', ['0x5', false]],
    ['eth_getTransactionReceipt', ['0x0b']],
  ] as const) {
    const { node, asked } = script()
    assert.equal(node.label, 'node')
    const both = [node.request(method, params), node.request(method, params)]
    assert.deepEqual([...(await Promise.all(both)), await node.request(method, params), asked()], [1, 1, 1, 1], method)
    await node.request(method, [...params.slice(0, -1), { blockHash: '0x02' }])
    assert.equal(asked(), 2, method)
  }
})

test('what may be another thing by now is asked for again: the newest state, gas, what a node does not know or could not say', async () => {
  for (const [method, params] of [
    ['eth_call', [{ to: '0x0a', data: '0x' }, 'latest']],
    ['eth_getBalance', ['0x0a', 'latest']],
    ['eth_getBlockByNumber', ['latest', false]],
    ['eth_getBlockByNumber', ['finalized', false]],
    ['eth_estimateGas', [{ blockHash: '0x01' }]],
    ['eth_estimateGas', [{ to: '0x0a' }, 'latest']],
    ['eth_maxPriorityFeePerGas', []],
    ['eth_sendRawTransaction', ['0x02']],
  ] as const) {
    const { node, asked } = script()
    await node.request(method, params)
    await node.request(method, params)
    assert.equal(asked(), 2, method)
  }
  for (const answer of [async () => null, () => Promise.reject(new Error('down'))]) {
    const { node, says, asked } = script()
    says.answer = answer
    for (const _ of [1, 2]) await node.request('eth_getTransactionReceipt', ['0x0b']).catch(() => {})
    assert.equal(asked(), 2)
  }
})
