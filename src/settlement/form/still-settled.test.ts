import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFunctionData, encodeFunctionResult, type Hex, pad } from 'viem'
import { settlementAbi } from '../../chain/generated/settlement.ts'
import type { RpcNode } from '../../chain/node.ts'
import { NoQuorumError } from '../../chain/quorum.ts'
import type { FollowedHead } from '../finality.ts'
import type { SettledTag } from '../tables/foreign.sql.ts'
import type { Work } from '../work.ts'
import { partByChain } from './still-settled.ts'

const SETTLEMENT = '0x00000000000000000000000000000000000000aa'
const digestOf = (text: Hex) => pad(text, { size: 24 })
const DIGEST = digestOf('0xd1')
const FINAL_BLOCK = 90n
const TAKES: SettledTag = {
  chainId: 1,
  batchId: 7n,
  index: 0,
  tag: '0x0011223344556677',
  direction: 'MINT',
  walletAddress: SETTLEMENT,
  debitAddress: null,
  amountMicro: 5n,
  orderId: null,
  notOfOrderId: null,
  settledAt: new Date(0),
  succeeded: false,
  isForeign: true,
  digest: DIGEST,
  successBitmap: 0n,
}

/** What a node answers about a batch: whether it has executed it, which succeeded, its digest and its block. */
type Told = readonly [boolean, bigint, Hex, bigint]
const THERE: Told = [true, 1n, DIGEST, FINAL_BLOCK]

const nodeOf = (label: string, told: Told): RpcNode => ({
  label,
  async request(_method, params) {
    const [{ data }] = params as [{ data: Hex }]
    assert.deepEqual(decodeFunctionData({ abi: settlementAbi, data }), { functionName: 'outcomeOf', args: [7n] })
    return encodeFunctionResult({ abi: settlementAbi, functionName: 'outcomeOf', result: told })
  },
})

function partOf(...told: Told[]) {
  const nodes = told.map((each, index) => nodeOf(`node ${index}`, each))
  const config = { quorum: nodes.length, settlement: SETTLEMENT }
  const at = { nodes, head: { hash: pad('0x99') }, finalBlock: FINAL_BLOCK }
  return partByChain({ chain: { config } } as unknown as Work, at as unknown as FollowedHead, [{ takes: TAKES }])
}

test('an order takes what the batch has done on the chain, where that is final there', async () => {
  assert.deepEqual(await partOf(THERE), { certain: [{ takes: { ...TAKES, successBitmap: 1n } }], waiting: [] })
})

test('it waits while the chain has not got the batch, another one under its id, or not for good', async () => {
  const [, bitmap, digest, block] = THERE
  const waits = { certain: [], waiting: [{ takes: TAKES }] }
  assert.deepEqual(await partOf([false, 0n, digestOf('0x'), 0n]), waits)
  assert.deepEqual(await partOf([true, bitmap, digestOf('0xd2'), block]), waits)
  assert.deepEqual(await partOf([true, bitmap, digest, block + 1n]), waits)
})

test('nodes that tell different things decide nothing', async () => {
  await assert.rejects(partOf(THERE, [true, 0n, DIGEST, FINAL_BLOCK]), NoQuorumError)
})

test('nobody is asked about what is in conflict anyway', async () => {
  const conflict = { conflict: TAKES }
  assert.deepEqual(await partByChain({ chain: { config: {} } } as Work, {} as FollowedHead, [conflict]), {
    certain: [conflict],
    waiting: [],
  })
})
