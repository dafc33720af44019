// engine: postgres; both in test:long
/**
 * Contracts that are not as configured: what stops settlement, what is only reported, and a node that does not answer.
 */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pino } from 'pino'
import type { Hex } from 'viem'
import { type Anvil, startAnvil } from '../../contracts/tools/anvil.ts'
import { connectChain } from '../../src/chain/chain.ts'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import type { ChainConfig } from '../../src/config.ts'
import { acquireLease, releaseLease } from '../../src/leases/leases.sql.ts'
import { createLeader } from '../../src/settlement/chain-loop.ts'
import { noMetrics } from '../../src/settlement/metrics.ts'
import { ChainMismatchError, registerChain } from '../../src/settlement/register.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { DEFAULT_TIMES } from '../../src/settlement/work.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { callOf, sendAs } from '../support/deployment.ts'
import { waitFor } from '../support/wait-for.ts'
import { account, deployChain, wallet } from './fixture.ts'
import { QUICK } from './scenario.ts'

describe('contracts that are not as configured', () => {
  let anvil: Anvil
  let db: TestDatabase
  let config: ChainConfig
  before(async () => {
    ;[anvil, db] = await Promise.all([startAnvil(), createTestDatabase()])
  })
  beforeEach(async () => {
    config = await deployChain(anvil.rpcUrl)
    await db.query('truncate chains, signers cascade')
  })
  after(async () => {
    await db.close()
    await anvil.stop()
  })

  const logger = (lines: string[]) => pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
  const chainOf = (change: Partial<ChainConfig> = {}) =>
    connectChain({ ...config, ...change }, { db, logger: logger([]) })
  const register = (change: Partial<ChainConfig> = {}) => registerChain(db, chainOf(change))
  const asAdmin = async (to: Hex, functionName: string, ...args: unknown[]) =>
    assert.equal(await sendAs(anvil, account('deployer').address, to, callOf({ functionName, args })), true)
  const rows = async () => (await db.query('select 1 from chains')).length

  it('are settled when all is as configured, and when nobody says how it is to be', async () => {
    assert.deepEqual(await register(), [])
    assert.deepEqual(await register({ deployment: undefined }), [])
  })

  it('stop settlement when somebody has a power too many, and nothing is recorded of them', async () => {
    await asAdmin(config.settlement, 'grantRole', ROLE_IDS.signer, wallet(9))
    await assert.rejects(register(), (error: Error) => {
      assert.ok(error instanceof ChainMismatchError)
      assert.match(error.message, new RegExp(`signer of the settlement: ${wallet(9)} should not be`))
      return true
    })
    assert.equal(await rows(), 0)
  })

  it('stop settlement when the coin takes links without consent, unless a sandbox made it', async () => {
    const { deployment } = config
    assert.ok(deployment)
    const strict = { ...deployment, unsafe: { admin: true, linkWithoutConsent: false } }
    await assert.rejects(register({ deployment: strict }), /lets wallets be linked without consent/)
    const safe = await deployChain(anvil.rpcUrl, {}, { consentRequired: true })
    assert.deepEqual(await registerChain(db, connectChain(safe, { db, logger: logger([]) })), [])
  })

  it('stop settlement when the admin is a key', async () => {
    const { deployment } = config
    assert.ok(deployment)
    await assert.rejects(register({ deployment: { ...deployment, unsafe: undefined } }), /is no timelock/)
  })

  it('are settled with a warning when a holder is missing', async () => {
    await asAdmin(config.coin.address, 'revokeRole', ROLE_IDS.freezer, account('freezer').address)
    const lines: string[] = []
    const settler = createSettler({ db, chains: [chainOf()], logger: logger(lines), holder: 'one', times: QUICK })
    settler.start()
    try {
      await waitFor('the settler to lead', () => settler.states()[0]?.leading === true)
    } finally {
      await settler.stop()
    }
    const told = lines.filter((line) => line.includes(`freezer of the coin: ${account('freezer').address} is missing.`))
    assert.equal(told.length, 1)
  })

  it('are asked about again when no node answers, and settled when one does', async () => {
    const dead = connectChain({ ...config, rpcUrls: ['http://127.0.0.1:1'] }, { db, logger: logger([]) })
    await assert.rejects(registerChain(db, dead), (error) => !(error instanceof ChainMismatchError))
    assert.deepEqual(await register(), [])
  })

  it('are compared again by whoever takes over, because nobody has watched them since', async () => {
    const name = `settlement:${config.chainId}`
    const lease = await acquireLease(db, name, 'another', 600_000)
    assert.ok(lease)
    const nobody = { otherChainIds: [], metrics: noMetrics, onForeignMovement: 'report', onStep: () => {} } as const
    const leader = createLeader({
      ...nobody,
      db,
      chain: chainOf(),
      logger: logger([]),
      holder: 'one',
      times: { ...DEFAULT_TIMES, ...QUICK },
    })
    await leader.round()
    assert.deepEqual(leader.state(), { chainId: config.chainId, leading: false, held: 'none' })
    await asAdmin(config.settlement, 'grantRole', ROLE_IDS.signer, wallet(9))
    await releaseLease(db, lease)
    await leader.round()
    assert.deepEqual(leader.state(), { chainId: config.chainId, leading: false, held: 'chain-mismatch' })
    await asAdmin(config.settlement, 'revokeRole', ROLE_IDS.signer, wallet(9))
    await leader.round()
    assert.equal(leader.state().leading, true)
    await leader.resign()
  })

  it('hold settlement of a service that runs', async () => {
    await asAdmin(config.coin.address, 'grantRole', ROLE_IDS.linker, wallet(9))
    const settler = createSettler({ db, chains: [chainOf()], logger: logger([]), holder: 'one', times: QUICK })
    settler.start()
    try {
      await waitFor('the hold', () => settler.states()[0]?.held === 'chain-mismatch')
      assert.equal(settler.states()[0]?.leading, false)
    } finally {
      await settler.stop()
    }
    await asAdmin(config.coin.address, 'revokeRole', ROLE_IDS.linker, wallet(9))
    assert.deepEqual(await register(), [])
  })
})
