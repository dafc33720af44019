import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Address, createPublicClient, createTestClient, createWalletClient, http, keccak256, toHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { type Anvil, startAnvil } from '../../contracts/tools/anvil.ts'
import { type DeploymentPlan, deployContracts } from './deploy.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { findDeploymentProblems, ROLE_IDS } from './verify-deployment.ts'

const deployer = mnemonicToAccount('test test test test test test test test test test test junk')
const keyOf = (name: string) => privateKeyToAccount(keccak256(toHex(name)))
const operator = keyOf('operator')
const admin = keyOf('admin')
const roles = {
  admin: admin.address,
  operators: [operator.address, keyOf('second operator').address],
  pauser: keyOf('pauser').address,
  freezer: keyOf('freezer').address,
  linker: keyOf('linker').address,
}
const wallet = keyOf('wallet').address
const none: Address = '0x0000000000000000000000000000000000000000'

function planFor(anvil: Anvil, change: Partial<DeploymentPlan> = {}): DeploymentPlan {
  return {
    rpcUrl: anvil.rpcUrl,
    chainId: foundry.id,
    deployer,
    roles,
    token: { name: 'Ringgit Coin', symbol: 'MYRC' },
    limits: {
      mint: { capacityMicro: 5_000_000n, refillPerSecondMicro: 10n },
      debit: { capacityMicro: 3_000_000n, refillPerSecondMicro: 20n },
    },
    pollingIntervalMs: 20,
    ...change,
  }
}

describe('deployContracts', () => {
  let anvil: Anvil
  before(async () => {
    anvil = await startAnvil()
  })
  after(() => anvil.stop())
  const connect = (rpcUrl: string) =>
    createPublicClient({ chain: foundry, transport: http(rpcUrl), pollingInterval: 20 })

  it('deploys contracts that work, and leaves the deployer without power', async () => {
    const client = connect(anvil.rpcUrl)
    const { coin, settlement } = await deployContracts(planFor(anvil))
    const read = { address: settlement, abi: settlementAbi } as const
    assert.equal(await client.readContract({ address: coin, abi: coinAbi, functionName: 'symbol' }), 'MYRC')
    assert.equal(await client.readContract({ address: coin, abi: coinAbi, functionName: 'decimals' }), 6)
    assert.equal(await client.readContract({ ...read, functionName: 'coin' }), coin)
    assert.deepEqual(await client.readContract({ ...read, functionName: 'mintLimit' }), [5_000_000n, 10n])
    assert.deepEqual(await client.readContract({ ...read, functionName: 'debitLimit' }), [3_000_000n, 20n])

    for (const role of Object.values(ROLE_IDS)) {
      for (const address of [coin, settlement]) {
        const args = [role, deployer.address] as const
        assert.equal(await client.readContract({ address, abi: coinAbi, functionName: 'hasRole', args }), false)
      }
    }

    await createTestClient({ mode: 'anvil', chain: foundry, transport: http(anvil.rpcUrl) }).setBalance({
      address: operator.address,
      value: 10n ** 18n,
    })
    const mint = { kind: 0, from: none, to: wallet, amount: 1_500_000n }
    const settle = { ...read, functionName: 'settle', args: [1n, [mint]] } as const
    await assert.rejects(client.simulateContract({ ...settle, account: deployer }), /AccessControlUnauthorizedAccount/)
    const hash = await createWalletClient({
      account: operator,
      chain: foundry,
      transport: http(anvil.rpcUrl, { retryCount: 0 }),
    }).writeContract(settle)
    assert.equal((await client.waitForTransactionReceipt({ hash })).status, 'success')
    assert.equal(
      await client.readContract({ address: coin, abi: coinAbi, functionName: 'balanceOf', args: [wallet] }),
      1_500_000n,
    )
  })

  it('leaves the admin role to a deployer that is the admin', async () => {
    const own = { ...roles, admin: deployer.address }
    const deployment = await deployContracts(planFor(anvil, { roles: own }))
    assert.deepEqual(await findDeploymentProblems(connect(anvil.rpcUrl), deployment, own), [])
  })

  it('refuses another chain before sending anything', async () => {
    const client = connect(anvil.rpcUrl)
    const nonce = await client.getTransactionCount({ address: deployer.address })
    await assert.rejects(deployContracts(planFor(anvil, { chainId: 1 })), /is of chain 31337, not 1/)
    assert.equal(await client.getTransactionCount({ address: deployer.address }), nonce)
  })

  it('fails when a role holder is the zero address', async () => {
    await assert.rejects(deployContracts(planFor(anvil, { roles: { ...roles, linker: none } })))
  })

  it('works on a chain that mines at intervals', async () => {
    const slow = await startAnvil(['--block-time', '0.2'])
    try {
      const deployment = await deployContracts(planFor(slow))
      assert.deepEqual(await findDeploymentProblems(connect(slow.rpcUrl), deployment, roles), [])
    } finally {
      await slow.stop()
    }
  })

  it('names every role that is missing or too much', async () => {
    const own = { ...roles, admin: deployer.address }
    const deployment = await deployContracts(planFor(anvil, { roles: own }))
    const client = connect(anvil.rpcUrl)
    const sender = createWalletClient({ account: deployer, chain: foundry, transport: http(anvil.rpcUrl) })
    const onCoin = { address: deployment.coin, abi: coinAbi } as const
    for (const call of [
      { ...onCoin, functionName: 'grantRole', args: [ROLE_IDS.settler, wallet] } as const,
      { ...onCoin, functionName: 'revokeRole', args: [ROLE_IDS.pauser, roles.pauser] } as const,
    ]) {
      await client.waitForTransactionReceipt({ hash: await sender.writeContract(call) })
    }
    assert.deepEqual(await findDeploymentProblems(client, deployment, own), [
      `Coin: pauser ${roles.pauser} is missing.`,
      `Coin: settler ${wallet} should not be.`,
    ])
  })
})
