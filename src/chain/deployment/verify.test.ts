import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Address, type Hex, keccak256, pad } from 'viem'
import { type Anvil, startAnvil } from '../../../contracts/tools/anvil.ts'
import { addressOf, callOf, planFor, roles, sendAs, token } from '../../../test/support/deployment.ts'
import { coinBytecode, coinRuntime } from '../generated/coin.ts'
import { connectNode } from '../node.ts'
import { readCode } from '../reads.ts'
import { isCode, readImplementation } from './code.ts'
import { type Deployment, deployContracts } from './deploy.ts'
import { ROLE_IDS } from './roles.ts'
import { type DeploymentProblem, findDeploymentProblems, type WantedDeployment } from './verify.ts'

const admin = addressOf('admin')
const stranger = addressOf('stranger')

describe('findDeploymentProblems', () => {
  let anvil: Anvil
  let deployed: Deployment
  let wanted: WantedDeployment
  let untouched: unknown
  const node = () => connectNode(anvil.rpcUrl)

  before(async () => {
    anvil = await startAnvil()
    const unsafe = { admin: true }
    const plan = planFor(anvil.rpcUrl, { roles: { admin, ...roles }, unsafe })
    deployed = await deployContracts(plan)
    const { mint, burn, transfer } = plan.limits
    const ceilings = { mint: mint.ceiling, burn: burn.ceiling, transfer: transfer.ceiling }
    const { coin, settlement } = deployed
    wanted = { coin, settlement, token, roles: { admin, ...roles }, ceilings, unsafe }
    untouched = await node().request('evm_snapshot', [])
  })
  after(() => anvil.stop())

  const find = (change: Partial<WantedDeployment> = {}) => findDeploymentProblems(node(), { ...wanted, ...change })
  const asAdmin = async (to: Address, functionName: string, ...args: unknown[]) =>
    assert.equal(await sendAs(anvil, admin, to, callOf({ functionName, args })), true, functionName)
  /** The problems found after a change, which is then undone. */
  async function findAfter(change: () => Promise<unknown>): Promise<DeploymentProblem[]> {
    await change()
    const found = await find()
    await node().request('evm_revert', [untouched])
    untouched = await node().request('evm_snapshot', [])
    return found
  }

  it('finds nothing when all is as wanted', async () => {
    assert.deepEqual(await find(), [])
  })

  it('reports a different name, symbol and coin', async () => {
    assert.deepEqual(await find({ token: { name: 'Other', symbol: 'OTH' } }), [
      { text: "The coin's name is Ringgit Coin, not Other.", danger: true },
      { text: "The coin's symbol is MYRC, not OTH.", danger: true },
    ])
    const plan = planFor(anvil.rpcUrl, { roles: { admin, ...roles }, unsafe: { admin: true } })
    const other = await deployContracts(plan)
    const found = await find({ coin: other.coin })
    assert.deepEqual(
      found.map(({ danger }) => danger),
      [true, true, false],
    )
    assert.match(found[0]?.text ?? '', /Settlement settles 0x.*, not 0x/)
    assert.match(found[1]?.text ?? '', /settler of the coin: 0x.* should not be/)
    assert.match(found[2]?.text ?? '', /settler of the coin: 0x.* is missing/)
  })

  it('reports every missing role, after every one too many', async () => {
    for (const [contract, names] of Object.entries({
      coin: ['settler', 'linker', 'freezer', 'pauser', 'unpauser'],
      settlement: ['signer', 'limiter', 'pauser', 'unpauser'],
    }) as ['coin' | 'settlement', (keyof typeof ROLE_IDS)[]][]) {
      for (const name of names) {
        const holder = name === 'settler' ? deployed.settlement : addressOf(name)
        const found = await findAfter(async () => {
          await asAdmin(deployed[contract], 'revokeRole', ROLE_IDS[name], holder)
          await asAdmin(deployed[contract], 'grantRole', ROLE_IDS[name], stranger)
        })
        assert.deepEqual(found, [
          { text: `${name} of the ${contract}: ${stranger} should not be.`, danger: true },
          { text: `${name} of the ${contract}: ${holder} is missing.`, danger: false },
        ])
      }
    }
  })

  it('reports a different admin, and one that is no timelock', async () => {
    const found = await find({ roles: { ...wanted.roles, admin: stranger } })
    assert.deepEqual(found, [
      { text: `admin of the coin: ${admin} should not be.`, danger: true },
      { text: `admin of the settlement: ${admin} should not be.`, danger: true },
      { text: `admin of the coin: ${stranger} is missing.`, danger: false },
      { text: `admin of the settlement: ${stranger} is missing.`, danger: false },
    ])
    assert.deepEqual(await find({ unsafe: undefined }), [
      { text: `The admin ${admin} is no timelock: it has no code.`, danger: true },
    ])
  })

  it('reports a handover that was begun: a danger unless it is to another timelock', async () => {
    const own = await deployContracts(planFor(anvil.rpcUrl))
    const { admin: other } = await deployContracts(planFor(anvil.rpcUrl))
    const { admin: _, ...rest } = wanted.roles
    const ofTimelock = { ...own, roles: { admin: own.admin, ...rest }, unsafe: undefined }
    const begin = (contract: Address, next: Address) =>
      sendAs(anvil, own.admin, contract, callOf({ functionName: 'beginDefaultAdminTransfer', args: [next] }))
    await begin(own.coin, stranger)
    assert.deepEqual(await find(ofTimelock), [
      {
        text: `The coin is being handed over to ${stranger}, who may become its admin at any time. The admin ${stranger} is no timelock: it has no code.`,
        danger: true,
      },
    ])
    await begin(own.coin, other)
    await begin(own.settlement, other)
    assert.deepEqual(
      await find(ofTimelock),
      ['coin', 'settlement'].map((name) => ({
        text: `The ${name} is being handed over to ${other}, who may become its admin at any time.`,
        danger: false,
      })),
    )
    await begin(own.coin, own.admin)
    await begin(own.settlement, own.admin)
    assert.deepEqual(await find(ofTimelock), [])
  })

  it('reports ceilings that are too high or too low', async () => {
    const { capacityMicro, refillPerSecondMicro } = wanted.ceilings.burn
    const setTo = (capacity: bigint, refillPerSecond: bigint) => () =>
      asAdmin(deployed.settlement, 'setCeiling', 1, { capacity, refillPerSecond })
    const above = [{ text: 'The ceiling of burns is above what it should be.', danger: true }]
    assert.deepEqual(await findAfter(setTo(capacityMicro + 1n, refillPerSecondMicro)), above)
    assert.deepEqual(await findAfter(setTo(capacityMicro, refillPerSecondMicro + 1n)), above)
    assert.deepEqual(await findAfter(setTo(capacityMicro - 1n, refillPerSecondMicro)), [
      { text: 'The ceiling of burns is below what it should be.', danger: false },
    ])
  })

  it('reports a coin that links wallets without consent', async () => {
    const plan = planFor(anvil.rpcUrl, {
      roles: { admin, ...roles },
      unsafe: { admin: true, linkWithoutConsent: true },
    })
    const { coin, settlement } = await deployContracts(plan)
    assert.deepEqual(await find({ coin, settlement }), [
      { text: 'The coin lets wallets be linked without consent: it is for test chains only.', danger: true },
    ])
    assert.deepEqual(await find({ coin, settlement, unsafe: { admin: true, linkWithoutConsent: true } }), [])
  })

  it('reports code that is not of this version, and believes nothing that it says', async () => {
    const setCode = (address: Address, code: Hex) => () => node().request('anvil_setCode', [address, code])
    const implementation = await readImplementation(node(), deployed.coin)
    assert.equal(implementation, deployed.coinImplementation)
    const code = await readCode(node(), implementation)
    const changed: Hex = `${code.slice(0, -2) as Hex}${code.endsWith('00') ? '01' : '00'}`
    assert.deepEqual(await findAfter(setCode(implementation, changed)), [
      { text: `Coin: the implementation at ${implementation} is not the code of this version.`, danger: true },
    ])
    assert.deepEqual(await findAfter(setCode(deployed.settlement, '0x00')), [
      { text: `Settlement: ${deployed.settlement} is not the proxy that was deployed.`, danger: true },
    ])
    const other = await findAfter(() => asAdmin(deployed.coin, 'upgradeToAndCall', deployed.coinImplementation, '0x'))
    assert.deepEqual(other, [], 'an upgrade to the same code is no problem')
  })

  it('reports a timelock of other code, unless its hash is configured', async () => {
    const own = await deployContracts(planFor(anvil.rpcUrl))
    const { admin: _, ...rest } = wanted.roles
    const ofTimelock = { ...own, roles: { admin: own.admin, ...rest }, unsafe: undefined }
    assert.deepEqual(await find(ofTimelock), [])
    const code = await readCode(node(), own.admin)
    const other: Hex = `${code.slice(0, -2) as Hex}${code.endsWith('00') ? '01' : '00'}`
    await node().request('anvil_setCode', [own.admin, other])
    const [problem, ...more] = await find(ofTimelock)
    assert.deepEqual([problem?.danger, more], [true, []])
    assert.match(problem?.text ?? '', /does not run the TimelockController of this version/)
    assert.deepEqual(await find({ ...ofTimelock, adminCodeHash: keccak256(other) }), [])
  })

  it('recognises code at any address, but not with a different address inside it', async () => {
    const code = await readCode(node(), deployed.coinImplementation)
    assert.equal(isCode(code, coinRuntime, deployed.coinImplementation), true)
    assert.equal(isCode(code, coinRuntime, deployed.coin), false)
    assert.equal(isCode(coinBytecode, coinRuntime, deployed.coinImplementation), false)
    const self = pad(deployed.coinImplementation).slice(2).toLowerCase()
    const once = code.replace(self, pad(deployed.coin).slice(2).toLowerCase()) as Hex
    assert.equal(isCode(once, coinRuntime, deployed.coinImplementation), false)
  })
})
