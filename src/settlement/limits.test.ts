import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { pino } from 'pino'
import { decodeFunctionData, encodeFunctionResult, type Hex } from 'viem'
import { createTestDatabase } from '../../test/support/database.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { settlementAbi } from '../chain/generated/settlement.ts'
import type { RpcNode } from '../chain/node.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { acquireLease } from '../leases/leases.sql.ts'
import { freshMemory } from './fresh-memory.ts'
import { publishLimits } from './limits.ts'
import type { Work } from './work.ts'

test('while nodes are asked for the limits they are not asked again, and otherwise every ten seconds', async () => {
  const asked: PromiseWithResolvers<unknown>[] = []
  const node: RpcNode = {
    label: 'slow',
    request() {
      const answer = Promise.withResolvers<unknown>()
      asked.push(answer)
      return answer.promise
    },
  }
  let nowMs = 0
  const config = { chainId: 1, settlement: '0x0000000000000000000000000000000000000001', quorum: 1 }
  const logger = pino({ level: 'silent' })
  const work = { chain: { config }, logger, memory: freshMemory(), nowMs: () => nowMs } as unknown as Work
  const at = { nodes: [node], head: { hash: `0x${'0'.repeat(64)}` } } as unknown as AgreedHead
  const publish = async (afterMs: number): Promise<number> => {
    nowMs += afterMs
    publishLimits(work, at)
    await nextTurn()
    return asked.length
  }

  const each = await publish(0)
  assert.ok(each > 0)
  assert.equal(await publish(10_000), each)
  for (const { reject } of asked) reject(new Error('no answer'))
  await nextTurn()
  assert.equal(await publish(0), 2 * each)
  for (const { reject } of asked) reject(new Error('no answer'))
  await nextTurn()
  assert.equal(await publish(9_999), 2 * each)
  assert.equal(await publish(1), 3 * each)
})

test('what a quorum says of each kind is published for orders of that kind, while the lease is held', async () => {
  const capacities = [7n, 8n, 9n]
  const node: RpcNode = {
    label: 'node',
    async request(_method, params) {
      const [{ data }] = params as [{ data: Hex }]
      const { args } = decodeFunctionData({ abi: settlementAbi, data })
      const result = {
        capacity: capacities[Number(args?.[0])] ?? 0n,
        refillPerSecond: 0n,
        available: 0n,
        refilledAt: 0n,
      }
      return encodeFunctionResult({ abi: settlementAbi, functionName: 'limitOf', result: result as never })
    },
  }
  const db = await createTestDatabase()
  try {
    await db.query(
      `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block) values (5, '0x1', '0x2', '0x0', 7)`,
    )
    const lease = await acquireLease(db, 'settlement:5', 'this', 60_000)
    const config = { chainId: 5, settlement: '0x0000000000000000000000000000000000000001', quorum: 1 }
    const work = { db, lease, chain: { config }, memory: freshMemory(), nowMs: () => 0 } as unknown as Work
    publishLimits(work, { nodes: [node], head: { hash: `0x${'0'.repeat(64)}` } } as unknown as AgreedHead)
    await waitFor('the limits', async () => !work.memory.limits.isUnderWay)
    assert.deepEqual(
      await db.query('select chain_id, direction, capacity_micro from chain_limits order by direction'),
      [
        { chain_id: 5n, direction: 'MINT', capacity_micro: 7n },
        { chain_id: 5n, direction: 'REDEEM', capacity_micro: 8n },
        { chain_id: 5n, direction: 'TRANSFER', capacity_micro: 9n },
      ],
    )
  } finally {
    await db.close()
  }
})
