// engine: postgres
/** `kill -9` at every step: after a restart everything completes, exactly once. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Step } from '../../src/settlement/work.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { account, linkOf, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

let s: Scenario

before(async () => {
  s = await startScenario({ engine: 'postgres' })
  await s.chain.admin.linkWallet(linkOf(wallet(1)))
})
after(() => s.end())

const CHILD = path.join(import.meta.dirname, 'crash-child.ts')

function startChild(dieAt: Step, holder: string, changes: object = {}) {
  const task = { databaseUrl: s.db.url, dieAt, holder, config: { ...s.config, ...changes } }
  const text = JSON.stringify(task, (_key, value) => (typeof value === 'bigint' ? String(value) : value))
  return startGuarded(process.execPath, [CHILD], { env: { ...process.env, SETTLER_TASK: text } })
}

async function placeMixed(): Promise<bigint[]> {
  const mints = Array.from(
    { length: 5 },
    (_, index) => ({ direction: 'MINT', amountMicro: 1_000_000n, to: wallet(index + 1) }) as const,
  )
  return s.place(
    ...mints,
    { direction: 'TRANSFER', amountMicro: 100n, from: wallet(1), to: wallet(2) },
    { direction: 'REDEEM', amountMicro: 10_000n, from: wallet(1) },
    { direction: 'TRANSFER', amountMicro: 1n, from: wallet(9), to: wallet(2) },
  )
}

/** A settler of the same name takes over, as a restarted process does. It must bring everything to its end. */
async function recover(ids: readonly bigint[], holder: string): Promise<void> {
  const settler = await s.settle({ holder, times: QUICK })
  try {
    for (const id of ids.slice(0, 6)) assert.equal((await s.until(id, 'completed')).status, 'completed')
    await s.until(ids[6], 'PAYOUT_PENDING')
    await s.until(ids[7], 'failed')
    await s.audit()
  } finally {
    await settler.stop()
  }
}

const FORWARD: Step[] = [
  'batch-selected',
  'batch-signed',
  'batch-stored',
  'batch-broadcast',
  'broadcast-recorded',
  'chain-looked-at',
  'mined-recorded',
  'outcome-decided',
]

for (const step of FORWARD) {
  test(`killed at ${step}`, async () => {
    const before = await s.chain.admin.supply()
    const ids = await placeMixed()
    const child = await startChild(step, `dies-at-${step}`)
    assert.equal(await child.exited, 137)
    await recover(ids, `dies-at-${step}`)
    assert.equal((await s.chain.admin.supply()) - before, 4_990_000n)
  })
}

for (const step of ['bump-signed', 'bump-stored'] as const) {
  test(`killed at ${step}`, async () => {
    const before = await s.chain.admin.supply()
    await s.rpc('evm_setAutomine', false)
    const ids = await placeMixed()
    const child = await startChild(step, `dies-at-${step}`, { bumpAfterBlocks: 0 })
    assert.equal(await child.exited, 137)
    await s.rpc('evm_setAutomine', true)
    await s.mine()
    await recover(ids, `dies-at-${step}`)
    assert.equal((await s.chain.admin.supply()) - before, 4_990_000n)
  })
}

test('killed after a batch was abandoned', async () => {
  const before = await s.chain.admin.supply()
  await s.rpc('evm_setAutomine', false)
  const ids = await placeMixed()
  const child = await startChild('batches-abandoned', 'dies-abandoning')
  await s.until(ids[0], 'SUBMITTED')
  // A foreign transaction takes the nonce, so that the batch can never execute.
  const [batch] = await s.db.query<{ nonce: bigint }>(
    `select nonce from batches where chain_id = 31337 and status = 'signed'`,
  )
  await s.rpc('eth_sendTransaction', {
    from: account('signer').address,
    to: account('signer').address,
    nonce: `0x${(batch?.nonce ?? 0n).toString(16)}`,
    gas: '0x5208',
    maxFeePerGas: '0x174876e800',
    maxPriorityFeePerGas: '0x174876e800',
  })
  await s.mine()
  assert.equal(await child.exited, 137)
  await s.rpc('evm_setAutomine', true)
  await s.mine()
  await recover(ids, 'dies-abandoning')
  assert.equal((await s.chain.admin.supply()) - before, 4_990_000n)
})
