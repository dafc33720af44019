// engine: postgres
/** Other code through the timelock while orders of all kinds flow: what is said at each step, and what the runbooks advise about it. */
// Runbook: The timelock was told to do something
// Runbook: The contracts are upgraded
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Address, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementBytecode, settlementRuntime } from '../../src/chain/generated/settlement.ts'
import { timelockAbi } from '../../src/chain/generated/timelock.ts'
import { findPendingOperations } from '../../src/settlement/tables/timelock.sql.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { startBurnWatch } from '../support/burn-watch.ts'
import { addressOf, newTimelock, sendAs } from '../support/deployment.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, linkOf, silent, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

const HOLDER = wallet(1)
const [PROPOSER, EXECUTOR] = [addressOf('proposer'), addressOf('executor')]

/** A Settlement that does the same and is other code: with a byte behind its end that nothing reaches. */
function otherCode(): Hex {
  const { size } = settlementRuntime
  const before = settlementBytecode.length - 2 * size
  const word = (length: number) => `61${length.toString(16).padStart(4, '0')}`
  const made = settlementBytecode.slice(0, before).replaceAll(word(size), word(size + 1))
  return `${made}${settlementBytecode.slice(before)}00` as Hex
}

let s: Scenario
let coin: OperatorFixture
let mining: NodeJS.Timeout
let watch: ReturnType<typeof startBurnWatch>
before(async () => {
  s = await startScenario({ engine: 'postgres', config: { confirmations: 2 }, timelock: newTimelock })
  mining = setInterval(() => void s.mine().catch(() => {}), 100)
  watch = startBurnWatch(s.db, s.chain)
  coin = await startOperator({ db: s.db, chains: [connectChain(s.config, { db: s.db, logger: silent })] })
  await s.chain.admin.linkWallet(linkOf(HOLDER))
})
after(async () => {
  clearInterval(mining)
  await coin.close()
  await watch.stop()
  await s.end()
})

const timelock = () => s.config.deployment?.roles.admin as Address

async function tell(from: Address, functionName: 'schedule' | 'execute', upgrade: Hex): Promise<void> {
  const call = [s.config.settlement, 0n, upgrade, zeroHash, zeroHash] as const
  const data =
    functionName === 'schedule'
      ? encodeFunctionData({ abi: timelockAbi, functionName, args: [...call, BigInt(newTimelock.delaySeconds)] })
      : encodeFunctionData({ abi: timelockAbi, functionName, args: call })
  assert.equal(await sendAs({ rpcUrl: s.rpcUrl } as never, from, timelock(), data), true, functionName)
}

async function implementation(): Promise<Address> {
  const from = account('deployer').address
  const hash = await s.rpc('eth_sendTransaction', { from, data: otherCode(), gas: '0x1c9c380' })
  const receipt = await waitFor('the receipt', () => s.rpc('eth_getTransactionReceipt', hash))
  const { status, contractAddress } = receipt as { status: string; contractAddress: Address }
  assert.equal(status, '0x1')
  return contractAddress
}

/** One order of each kind that moves coin; all are placed before anything is known of any. */
async function placeSome(): Promise<{ mint: bigint; redeem: bigint; transfer: bigint }> {
  const [mint = 0n, redeem = 0n, transfer = 0n] = await s.place(
    { direction: 'MINT', amountMicro: 10n, to: wallet(2) },
    { direction: 'REDEEM', amountMicro: 20_000n, from: HOLDER },
    { direction: 'TRANSFER', amountMicro: 5n, from: HOLDER, to: wallet(3) },
  )
  return { mint, redeem, transfer }
}
type Some = Awaited<ReturnType<typeof placeSome>>

async function settled({ mint, redeem, transfer }: Some): Promise<void> {
  await s.until(mint, 'completed')
  await s.until(transfer, 'completed')
  await s.until(redeem, 'PAYOUT_PENDING')
}

const movements = async () =>
  (
    await s.db.query<{ kind: string; pauses: boolean; over: boolean }>(
      'select kind, pauses, ended_at is not null as over from foreign_movements order by movement_id',
    )
  ).map(({ kind, pauses, over }) => `${kind}${pauses ? ' pauses' : ''}${over ? ', known' : ''}`)

/** As somebody does who has looked at all that was seen. */
async function resume(): Promise<void> {
  const { stdout } = await coin.cli(['chain', 'status', '--json'])
  const [chain] = (JSON.parse(stdout) as { chains: { movements: { movement: string }[] }[] }).chains
  const known = chain?.movements[0]?.movement ?? assert.fail(stdout)
  const { code, stderr } = await coin.cli(['chain', 'resume', '--known', known])
  assert.equal(code, 0, stderr)
}

test('scheduled, it is told and nothing stops; executed, settlement stops until it is known, and no order is lost or settled twice', async () => {
  const settler = await s.settle({ onForeignMovement: 'pause', times: QUICK })
  const [funds] = await s.place({ direction: 'MINT', amountMicro: 1_000_000n, to: HOLDER })
  await s.until(funds, 'completed')

  const args = [await implementation(), '0x'] as const
  const upgrade = encodeFunctionData({ abi: coinAbi, functionName: 'upgradeToAndCall', args })
  await tell(PROPOSER, 'schedule', upgrade)
  await waitFor('it to be told', async () => (await movements()).length > 0)
  assert.deepEqual(await movements(), ['timelock'])
  await waitFor('it to be pending', async () => (await findPendingOperations(s.db, s.config.chainId)).length === 1)
  assert.match((await coin.cli(['chain', 'status'])).stdout, /upgradeToAndCall/)
  await settled(await placeSome())

  // Theirs, and as agreed.
  await resume()
  assert.deepEqual(await movements(), ['timelock, known'])
  await s.rpc('evm_increaseTime', newTimelock.delaySeconds + 1)
  const flowing: Some[] = []
  const placing = (async () => {
    for (let count = 0; count < 12; count += 1) {
      flowing.push(await placeSome())
      await new Promise((resolve) => setTimeout(resolve, 60))
    }
  })()
  await tell(EXECUTOR, 'execute', upgrade)
  await placing
  await waitFor('the code to be told', async () => (await movements()).includes('code pauses'))
  await waitFor('it to be done', async () => (await findPendingOperations(s.db, s.config.chainId)).length === 0)
  const late = await placeSome()
  await waitFor('settlement to be paused on the chain', async () => (await s.chain.admin.status()).settlementPaused)
  assert.equal((await s.until(late.mint, 'pending')).phase, 'ORDER_CREATED')
  const status = await coin.cli(['chain', 'status'])
  assert.match(status.stdout, /is not the code of this version/)

  await resume()
  for (const some of [...flowing, late]) await settled(some)
  assert.deepEqual(await movements(), ['timelock, known', 'code pauses, known'])
  await settler.stop()
  await s.audit()

  // Whoever leads from now on and is of the old version settles nothing on code that it does not know.
  const old = await s.settle({ onForeignMovement: 'pause', times: QUICK })
  const waiting = await placeSome()
  const hold = async () =>
    (
      await s.db.query<{ reason: string; details: string }>(
        'select reason, details from settlement_holds where chain_id = $1',
        [s.config.chainId],
      )
    )[0]
  await waitFor('it to say so', async () => (await hold())?.reason === 'chain-mismatch')
  assert.match((await hold())?.details ?? '', /is not the code of this version/)
  await old.stop()
  assert.equal((await s.until(waiting.redeem, 'pending')).phase, 'ORDER_CREATED')
})
