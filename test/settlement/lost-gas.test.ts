// engine: postgres
/** What lost batches that are signed again ask for, where the chain counts gas otherwise than Ethereum's do, and what is not signed at all. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { numberToHex } from 'viem'
import { keyOf } from './fixture.ts'
import { LOST, look, loseThree, requireWhole } from './lost-three.ts'
import { ALONE, CHAIN, SIGNER } from './repairing.ts'
import { NEVER, type Stepped, type SteppedChain, sendStop, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** The chain counts gas otherwise than Ethereum's do: nodes estimate so many times as much. @returns what has them estimate as before */
function countOtherwise(s: Stepped, times: bigint): () => void {
  const kept = s.work.chain
  const nodes = kept.nodes.map((node) => ({
    ...node,
    async request(method: string, params: readonly unknown[], timeoutMs?: number) {
      const answer = await node.request(method, params, timeoutMs)
      return method === 'eth_estimateGas' ? numberToHex(BigInt(answer as string) * times) : answer
    },
  }))
  s.work.chain = { ...kept, nodes }
  return () => {
    s.work.chain = kept
  }
}

/** What attempts ask for, the last of each batch. */
const gasLimits = async (s: Stepped) =>
  (
    await s.db.query<{ gas: bigint }>(
      `select distinct on (batch_id) gas_limit as gas from batch_attempts where chain_id = $1 order by batch_id, created_at desc`,
      [CHAIN],
    )
  ).map(({ gas }) => gas)

const OTHERWISE = 10n
const MUCH_GAS = 600_000n

async function requireMuchGas(s: Stepped): Promise<void> {
  const asked = await gasLimits(s)
  assert.ok(
    asked.every((gas) => gas > MUCH_GAS),
    asked.join(),
  )
}

test('what is signed again asks for as much gas as nodes estimate, where that is more than it costs at worst elsewhere: it would revert each time', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  assert.ok((await gasLimits(s)).every((gas) => gas < MUCH_GAS))
  countOtherwise(s, OTHERWISE)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, 2 * LOST)
  await requireMuchGas(s)
  await requireWhole(s)
})

test('so does what is signed for a higher fee: it takes the place of bytes that asked for enough', async (t) => {
  const s = await chain.begin({ config: { ...ALONE, bumpAfterBlocks: 2 } })
  t.after(() => s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(10n ** 9n)))
  await loseThree(s)
  countOtherwise(s, OTHERWISE)
  for (let looks = 0; looks < 3; looks += 1) {
    for (let blocks = 0; blocks < 2; blocks += 1) {
      await s.rpc('anvil_setNextBlockBaseFeePerGas', numberToHex(90n * 10n ** 9n))
      await s.mine()
    }
    s.passMs(NEVER.recheckMs)
    await s.round()
  }
  assert.equal((await s.attempts()).length, 2 * LOST)
  await requireMuchGas(s)
  await requireWhole(s)
})

test('what needs more gas than a transaction may have is not signed again, and what holds the chain says so', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  const mend = countOtherwise(s, 1_000n)
  await useNonce(s, SIGNER, 0n)
  await s.mine(2)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, LOST, 'nothing is signed that would revert')
  const { held } = s.work.memory.holds
  const { batchId, why } = held.details.unsigned as { batchId: string; why: string }
  assert.deepEqual([held.reason, batchId], ['chain-behind', '1'])
  assert.match(why, /^it needs \d+ gas, and a transaction may have \d+$/)
  mend()
  await look(s)
  assert.equal(s.work.memory.recheck.unsigned, undefined)
  assert.equal((await s.attempts()).length, 2 * LOST)
  await requireWhole(s)
})

test('what the contract would refuse from everybody is not signed again, and what holds the chain says why', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseThree(s)
  await sendStop(s, true)
  await s.mine()
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal((await s.attempts()).length, LOST)
  const { held } = s.work.memory.holds
  assert.deepEqual([held.reason, held.details.unsigned], ['chain-behind', { batchId: '1', why: 'EnforcedPause' }])
  await sendStop(s, false, 1)
  await s.mine()
  await look(s)
  await requireWhole(s)
  assert.equal(s.work.memory.recheck.unsigned, undefined)
})
