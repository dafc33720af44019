import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'
import {
  type Abi,
  type Address,
  encodeFunctionData,
  encodeFunctionResult,
  type Hex,
  keccak256,
  numberToHex,
  parseAbi,
  toHex,
  zeroAddress,
} from 'viem'
import { type Anvil, startAnvil } from '../../../contracts/tools/anvil.ts'
import { addressOf, callOf, deployer, planFor, read, roles, sendAs } from '../../../test/support/deployment.ts'
import { startFaultyRpc } from '../../../test/support/faulty-rpc.ts'
import { coinAbi, coinRuntime } from '../generated/coin.ts'
import { settlementAbi, settlementRuntime } from '../generated/settlement.ts'
import { encodeSettle, NO_HISTORY, packInstructions } from '../instructions.ts'
import { connectNode } from '../node.ts'
import { readCode, readNonce } from '../reads.ts'
import { agreeOnDeployment } from './compare.ts'
import { deployContracts } from './deploy.ts'
import { ROLE_IDS } from './roles.ts'
import { findDeploymentProblems } from './verify.ts'

const wallet = addressOf('wallet')
const withAdmin = (admin: Address) => ({ roles: { admin, ...roles } })

test('each contract is well below the size that a chain accepts', () => {
  for (const { size } of [coinRuntime, settlementRuntime]) assert.ok(size < 23_000, String(size))
})

describe('deployContracts', () => {
  let anvil: Anvil
  before(async () => {
    anvil = await startAnvil()
  })
  after(() => anvil.stop())
  const deploy = (change = {}) => deployContracts(planFor(anvil.rpcUrl, change))
  const view = (address: Address, functionName: string, ...args: unknown[]) =>
    read(anvil, address, { functionName, args })

  it('deploys contracts that work, administered by a timelock, and the deployer never has a power', async () => {
    const { coin, settlement, admin } = await deploy({ seizureAddress: addressOf('treasury') })
    assert.equal(await view(coin, 'symbol'), 'MYRC')
    assert.equal(await view(settlement, 'coin'), coin)
    assert.equal(await view(coin, 'consentRequired'), true)
    assert.equal(await view(coin, 'seizureAddress'), addressOf('treasury'))
    assert.deepEqual(await view(settlement, 'limitOf', 0), { capacity: 5_000_000n, refillPerSecond: 10n })
    assert.deepEqual(await view(settlement, 'limitOf', 2), { capacity: 3_000_000n, refillPerSecond: 30n })
    assert.deepEqual(await view(settlement, 'ceilingOf', 1), { capacity: 8_000_000n, refillPerSecond: 80n })
    assert.equal(await view(coin, 'defaultAdmin'), admin)
    for (const role of Object.values(ROLE_IDS)) {
      for (const address of [coin, settlement, admin])
        assert.equal(await view(address, 'hasRole', role, deployer.address), false)
    }
    const mint = { kind: 0, from: zeroAddress, to: wallet, amount: 1_500_000n, tag: '0x0000000000000001' } as const
    const settle = encodeSettle(1n, NO_HISTORY, packInstructions([mint]))
    assert.equal(await sendAs(anvil, deployer.address, settlement, settle), false)
    assert.equal(await sendAs(anvil, addressOf('second signer'), settlement, settle), true)
    assert.equal(await view(coin, 'balanceOf', wallet), 1_500_000n)
  })

  it('takes an existing timelock, and no other admin', async () => {
    const { admin } = await deploy()
    const again = await deploy(withAdmin(admin))
    assert.equal(again.admin, admin)
    await assert.rejects(deploy(withAdmin(addressOf('admin'))), /is no timelock: it has no code/)
    await assert.rejects(deploy(withAdmin(again.coin)), /is no timelock: it does not answer as one/)
  })

  it('takes a timelock of other code only by its hash', async () => {
    const { admin } = await deploy()
    const node = connectNode(anvil.rpcUrl)
    const code = await readCode(node, admin)
    // The last bytes are the compiler's metadata: it answers as before.
    const other: Hex = `${code.slice(0, -2) as Hex}${code.endsWith('00') ? '01' : '00'}`
    await node.request('anvil_setCode', [admin, other])
    await assert.rejects(deploy(withAdmin(admin)), new RegExp(`not run the TimelockController.*: ${keccak256(other)}`))
    await assert.rejects(deploy({ ...withAdmin(admin), adminCodeHash: keccak256(code) }), /has the hash 0x.*, not 0x/)
    assert.equal((await deploy({ ...withAdmin(admin), adminCodeHash: keccak256(other) })).admin, admin)
  })

  it('refuses a timelock that gives the deployer power, is short, or has another admin', async () => {
    const { admin } = await deploy()
    const asItself = async (functionName: string, ...args: unknown[]) =>
      assert.equal(await sendAs(anvil, admin, admin, callOf({ functionName, args })), true)
    const named = ['PROPOSER_ROLE', 'EXECUTOR_ROLE', 'CANCELLER_ROLE'].map((name) => keccak256(toHex(name)))
    for (const role of [...named, ROLE_IDS.admin]) {
      await asItself('grantRole', role, deployer.address)
      await assert.rejects(deploy(withAdmin(admin)), /gives power to/)
      await asItself('revokeRole', role, deployer.address)
    }
    const shorten = encodeFunctionData({ abi: parseAbi(['function updateDelay(uint256)']), args: [86_399n] })
    assert.equal(await sendAs(anvil, admin, admin, shorten), true)
    await assert.rejects(deploy(withAdmin(admin)), /waits 86399 s, less than 86400 s/)
    await asItself('renounceRole', ROLE_IDS.admin, admin)
    await assert.rejects(deploy(withAdmin(admin)), /does not administer itself/)
  })

  it('lets a key be the admin, and wallets be linked without consent, only when told so', async () => {
    const unsafe = { admin: true, linkWithoutConsent: true }
    const { coin, admin } = await deploy({ ...withAdmin(deployer.address), unsafe })
    assert.equal(admin, deployer.address)
    assert.equal(await view(coin, 'consentRequired'), false)
  })

  it('sends nothing when the plan is unsafe or the chain is another one', async () => {
    const nonce = () => readNonce(connectNode(anvil.rpcUrl), deployer.address, 'latest')
    const before = await nonce()
    await assert.rejects(deploy(withAdmin(deployer.address)), /The deployer must not be the admin/)
    await assert.rejects(deploy({ chainId: 1 }), /is of chain 31337, not 1/)
    assert.equal(await nonce(), before)
  })

  it('sends nothing to a chain whose contracts are told the blocks of another one, and names that of one that has them', async () => {
    const { coin, settlement, admin } = await deploy()
    let head = 100_000_000
    const rollup = await startFaultyRpc(anvil.rpcUrl, ({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { kind: 'lie', lie: (block) => ({ ...(block as object), number: numberToHex(head++) }) }
        : { kind: 'none' },
    )
    try {
      const node = connectNode(rollup.url)
      const nonce = await readNonce(node, deployer.address, 'latest')
      await assert.rejects(deployContracts(planFor(rollup.url)), /are told other numbers of blocks/)
      assert.equal(await readNonce(node, deployer.address, 'latest'), nonce)
      const { limits, token } = planFor(anvil.rpcUrl)
      const { mint, burn, transfer } = limits
      const ceilings = { mint: mint.ceiling, burn: burn.ceiling, transfer: transfer.ceiling }
      const found = await findDeploymentProblems(node, {
        coin,
        settlement,
        token,
        roles: { ...roles, admin },
        ceilings,
      })
      assert.deepEqual(
        found.map(({ text, danger }) => [/^Contracts of this chain are told other numbers/.test(text), danger]),
        [[true, true]],
      )
      const config = {
        settlement,
        coin: { address: coin, ...token },
        deployment: { roles: { ...roles, admin }, ceilings, unsafe: undefined },
      }
      // The chain goes on while it is compared, and no address is where another one is.
      assert.deepEqual(await agreeOnDeployment({ ...config, quorum: 2 }, [node, connectNode(rollup.url)]), found)
    } finally {
      await rollup.close()
    }
  })

  const twoAddresses = [addressOf('linker'), addressOf('stranger')]
  for (const [what, functionName, args, result, said] of [
    ['a limit', 'limitOf', [1], { capacity: 4_000_001n, refillPerSecond: 20n }, /The burn limit is not as wanted/],
    ['a ceiling', 'ceilingOf', [2], { capacity: 7_000_001n, refillPerSecond: 70n }, /ceiling of transfers is above/],
    ['a role', 'getRoleMembers', [ROLE_IDS.linker], twoAddresses, /linker of the coin: 0x.* should not be/],
    ['a name', 'name', [], 'Another Coin', /The coin's name is Another Coin, not Ringgit Coin/],
  ] as const) {
    it(`refuses what it has made when the chain shows another than was wanted: ${what}`, async () => {
      const abi: Abi = functionName.endsWith('Of') ? settlementAbi : coinAbi
      const asked = encodeFunctionData({ abi, functionName, args })
      const changed = await startFaultyRpc(anvil.rpcUrl, ({ method, params }) =>
        method === 'eth_call' && (params[0] as { data?: Hex }).data === asked
          ? { kind: 'pretend', result: encodeFunctionResult({ abi, functionName, result }) }
          : { kind: 'none' },
      )
      try {
        await assert.rejects(deployContracts(planFor(changed.url)), (error: Error) => {
          assert.match(error.message, /^the deployment did not end as wanted\. /)
          assert.match(error.message, said)
          return true
        })
      } finally {
        await changed.close()
      }
    })
  }

  it('refuses what it has made when the chain runs other code than was sent', async () => {
    const changed = await startFaultyRpc(anvil.rpcUrl, ({ method }) =>
      method === 'eth_getCode'
        ? { kind: 'lie', lie: (code) => (String(code).length > 10_000 ? `${String(code).slice(0, -2)}ff` : code) }
        : { kind: 'none' },
    )
    try {
      await assert.rejects(
        deployContracts(planFor(changed.url)),
        /did not end as wanted.*is not the code of this version/,
      )
    } finally {
      await changed.close()
    }
  })

  it('works on a chain that mines at intervals', async () => {
    const slow = await startAnvil(['--block-time', '0.2'])
    try {
      const { coin } = await deployContracts(planFor(slow.rpcUrl))
      assert.equal(await read(slow, coin, { functionName: 'symbol' }), 'MYRC')
    } finally {
      await slow.stop()
    }
  })

  it('works, and creates nothing twice, where the first answer to each request is lost', async () => {
    const own = await startAnvil()
    const lost = new Set<string>()
    const losing = await startFaultyRpc(own.rpcUrl, ({ method }) => {
      if (lost.has(method)) return { kind: 'none' }
      lost.add(method)
      return { kind: 'drop' }
    })
    try {
      const { coin } = await deployContracts(planFor(losing.url))
      assert.equal(await read(own, coin, { functionName: 'symbol' }), 'MYRC')
      assert.ok(lost.has('eth_sendRawTransaction') && lost.has('eth_getTransactionReceipt'))
      // A timelock, two implementations, two proxies.
      assert.equal(await readNonce(connectNode(own.rpcUrl), deployer.address, 'latest'), 5n)
    } finally {
      await losing.close()
      await own.stop()
    }
  })

  it('waits where a node knows a receipt later than its block, and no other block comes', async () => {
    const own = await startAnvil()
    const looks = new Map<string, number>()
    const late = await startFaultyRpc(own.rpcUrl, ({ method, params }) => {
      if (method !== 'eth_getTransactionReceipt') return { kind: 'none' }
      const hash = String(params[0])
      const look = (looks.get(hash) ?? 0) + 1
      looks.set(hash, look)
      return look <= 5 ? { kind: 'pretend', result: null } : { kind: 'none' }
    })
    try {
      const { coin } = await deployContracts(planFor(late.url))
      assert.equal(await read(own, coin, { functionName: 'symbol' }), 'MYRC')
      assert.deepEqual([...looks.values()], [6, 6, 6, 6, 6])
    } finally {
      await late.close()
      await own.stop()
    }
  })

  it('sends a transaction again that never arrived', async () => {
    const own = await startAnvil()
    let refused = 0
    const refusing = await startFaultyRpc(own.rpcUrl, ({ method }) => {
      if (method !== 'eth_sendRawTransaction' || refused === 3) return { kind: 'none' }
      refused += 1
      return { kind: 'refuse' }
    })
    try {
      const { coin } = await deployContracts(planFor(refusing.url))
      assert.equal(await read(own, coin, { functionName: 'symbol' }), 'MYRC')
      assert.equal(refused, 3)
    } finally {
      await refusing.close()
      await own.stop()
    }
  })

  for (const hardfork of ['london', 'shanghai']) {
    it(`sends nothing to a chain as old as ${hardfork}, and says what the node said`, async () => {
      const old = await startAnvil(['--hardfork', hardfork])
      try {
        await assert.rejects(deployContracts(planFor(old.rpcUrl)), /at least the EVM version Cancun.*: .+/)
        assert.equal(await readNonce(connectNode(old.rpcUrl), deployer.address, 'latest'), 0n)
      } finally {
        await old.stop()
      }
    })
  }
})
