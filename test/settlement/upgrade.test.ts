// engine: postgres
/** Both contracts get other code while orders of all kinds flow: each settles once, what is told is the code, and burns are seen across it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { coinAbi, coinBytecode } from '../../src/chain/generated/coin.ts'
import { settlementBytecode } from '../../src/chain/generated/settlement.ts'
import { startBurnWatch } from '../support/burn-watch.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, linkOf, wallet } from './fixture.ts'
import { type Scenario, startScenario } from './scenario.ts'

const HOLDER = wallet(1)

async function send(s: Scenario, to: Address | undefined, data: Hex): Promise<Address | null> {
  const from = account('deployer').address
  const hash = await s.rpc('eth_sendTransaction', { from, data, gas: '0x1c9c380', ...(to && { to }) })
  const receipt = await waitFor('the receipt', () => s.rpc('eth_getTransactionReceipt', hash))
  const { status, contractAddress } = receipt as { status: string; contractAddress: Address | null }
  assert.equal(status, '0x1')
  return contractAddress
}

async function upgrade(s: Scenario, proxy: Address, bytecode: Hex): Promise<void> {
  const implementation = await send(s, undefined, bytecode)
  assert.ok(implementation)
  const args = [implementation, '0x'] as const
  await send(s, proxy, encodeFunctionData({ abi: coinAbi, functionName: 'upgradeToAndCall', args }))
}

test('orders flow on while the contracts are upgraded, and are settled once', async () => {
  const s = await startScenario({ config: { confirmations: 2 } })
  const mining = setInterval(() => void s.mine().catch(() => {}), 60)
  const watch = startBurnWatch(s.db, s.chain)
  try {
    await s.chain.admin.linkWallet(linkOf(HOLDER))
    const settler = await s.settle({ onForeignMovement: 'report' })
    const [funds] = await s.place({ direction: 'MINT', amountMicro: 1_000_000n, to: HOLDER })
    await s.until(funds, 'completed')
    const [mints, redeems]: [bigint[], bigint[]] = [[], []]
    const placing = (async () => {
      for (let count = 0; count < 20; count += 1) {
        mints.push(...(await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(2) })))
        redeems.push(...(await s.place({ direction: 'REDEEM', amountMicro: 20_000n, from: HOLDER })))
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
    })()
    await upgrade(s, s.config.coin.address, coinBytecode)
    await upgrade(s, s.config.settlement, settlementBytecode)
    await placing
    for (const order of mints) await s.until(order, 'completed')
    for (const order of redeems) await s.until(order, 'PAYOUT_PENDING')
    await waitFor('all burns to be seen', async () => {
      const [row] = await s.db.query<{ seen: bigint }>('select count(burn) as seen from payouts')
      return Number(row?.seen) === redeems.length
    })
    const told = await s.db.query<{ kind: string; details: string }>(
      'select kind, details from foreign_movements order by 1',
    )
    assert.deepEqual(
      told.map(({ kind }) => kind),
      ['code', 'code'],
    )
    await settler.stop()
    await s.audit()
  } finally {
    clearInterval(mining)
    await watch.stop()
    await s.end()
  }
})
