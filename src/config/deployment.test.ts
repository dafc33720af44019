import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { privateKeyToAddress } from 'viem/accounts'
import { CONNECTOR_SETTINGS, LIVE_SETTINGS, SAMPLE_VARIABLES } from '../../test/support/live-settings.ts'
import { ConfigError, loadConfig } from '../config.ts'

const SAMPLE = JSON.parse(readFileSync(new URL('../../docs/samples/chains.json', import.meta.url), 'utf8'))
const [CHAIN] = SAMPLE.chains
const ENV = { ...SAMPLE_VARIABLES, ...CONNECTOR_SETTINGS }
const LIVE = LIVE_SETTINGS
const other = privateKeyToAddress(`0x${'c3'.repeat(32)}`)

/** The chain of the sample, with changes; undefined removes a field. */
function load(env: Record<string, string>, change: Record<string, unknown> = {}) {
  const text = JSON.stringify({ chains: [{ ...CHAIN, ...change }] })
  const [chain] = loadConfig({ ...env, CHAINS_FILE: 'chains.json' }, () => text).chains
  assert.ok(chain)
  return chain
}

function problemsOf(env: Record<string, string>, change: Record<string, unknown>): readonly string[] {
  try {
    load(env, change)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError)
    return error.problems
  }
}

const withDeployment = (change: Record<string, unknown>) => ({ deployment: { ...CHAIN.deployment, ...change } })
const withCeiling = (mint: unknown) => withDeployment({ ceilings: { ...CHAIN.deployment.ceilings, mint } })

describe('the entry deployment of a chain', () => {
  it('says who holds which power; by default, signers and linkers are those whose keys are configured', () => {
    const { deployment } = load(LIVE)
    assert.deepEqual(deployment?.roles, {
      admin: CHAIN.deployment.admin,
      signers: [privateKeyToAddress(SAMPLE_VARIABLES.BASE_SIGNER_1), CHAIN.signers[1].address],
      limiters: CHAIN.deployment.limiters,
      linkers: [CHAIN.linker.address],
      freezers: CHAIN.deployment.freezers,
      pausers: CHAIN.deployment.pausers,
      unpausers: CHAIN.deployment.unpausers,
    })
    assert.deepEqual(deployment?.ceilings, {
      mint: { capacityMicro: 4_000_000_000_000n, refillPerSecondMicro: 200_000_000n },
      burn: { capacityMicro: 4_000_000_000_000n, refillPerSecondMicro: 200_000_000n },
      transfer: { capacityMicro: 1_000_000_000_000n, refillPerSecondMicro: 100_000_000n },
    })
    assert.equal(deployment?.unsafe, undefined)
  })

  it('names signers and linkers beside the configured keys when it lists them', () => {
    const signers = [...(load(ENV).deployment?.roles.signers ?? []), other]
    const { deployment } = load(LIVE, withDeployment({ signers, linkers: [other, CHAIN.linker.address] }))
    assert.deepEqual(deployment?.roles.signers, signers)
    assert.deepEqual(deployment?.roles.linkers, [other, CHAIN.linker.address])
  })

  it('names the code of a timelock that is not of this version, where there is one', () => {
    const adminCodeHash = `0x${'a1'.repeat(32)}`
    assert.equal(load(LIVE, withDeployment({ adminCodeHash })).deployment?.adminCodeHash, adminCodeHash)
    assert.equal(load(LIVE).deployment?.adminCodeHash, undefined)
  })

  it('has to list the linkers where no linker key is configured', () => {
    assert.deepEqual(problemsOf(LIVE, { linker: undefined }), [
      'CHAINS_FILE chains[0].deployment.linkers must be a list of 1 to 100 checksummed addresses.',
    ])
    const listed = load(LIVE, { linker: undefined, ...withDeployment({ linkers: [other] }) })
    assert.deepEqual([listed.linker, listed.deployment?.roles.linkers], [undefined, [other]])
  })

  it('has to list the signers where no process signs, and only a settler needs their keys', () => {
    const keyless = {
      signers: undefined,
      linker: undefined,
      freezer: undefined,
      pauser: undefined,
      unpauser: undefined,
    }
    const holders = withDeployment({ signers: [other], linkers: [CHAIN.linker.address] })
    const api = { ...LIVE, COIN_ROLES: 'api,payer,courier' }
    const { deployment, signers } = load(api, { ...keyless, ...holders })
    assert.deepEqual([signers, deployment?.roles.signers], [[], [other]])
    assert.deepEqual(problemsOf(api, { ...keyless, ...withDeployment({ linkers: [other] }) }), [
      'CHAINS_FILE chains[0].deployment.signers must be a list of 1 to 100 checksummed addresses.',
    ])
    assert.deepEqual(problemsOf({ ...LIVE, COIN_ROLES: 'api,settler' }, { ...keyless, ...holders }), [
      'CHAINS_FILE chains[0].signers must be a list of 1 to 32 entries.',
    ])
  })

  const where = 'CHAINS_FILE chains[0].deployment'
  const list = 'must be a list of 1 to 100 checksummed addresses.'
  const amount = 'must be an amount of coins above zero as a text, such as "2000000".'
  const refused: [string, Record<string, unknown>][] = [
    [`${where} must be an object.`, { deployment: [] }],
    [`${where}.admin must be a checksummed address.`, withDeployment({ admin: 'somebody' })],
    [
      `${where}.adminCodeHash must be 0x and 64 hexadecimal digits in lower case.`,
      withDeployment({ adminCodeHash: `0x${'A'.repeat(64)}` }),
    ],
    [`${where}.limiters ${list}`, withDeployment({ limiters: [] })],
    [`${where}.freezers ${list}`, withDeployment({ freezers: CHAIN.deployment.freezers[0] })],
    [`${where}.limiters ${list}`, withDeployment({ limiters: [other.toLowerCase().replace('0x', '0X')] })],
    [`${where}.limiters ${list}`, withDeployment({ limiters: [`0x${'0'.repeat(40)}`] })],
    [`${where}.limiters ${list}`, withDeployment({ limiters: Array.from({ length: 101 }, () => other) })],
    [`${where}.ceilings must be an object.`, withDeployment({ ceilings: 'high' })],
    [`${where}.ceilings.mint.capacity ${amount}`, withCeiling({ capacity: 4_000_000, refillPerSecond: '1' })],
    [`${where}.ceilings.mint.capacity ${amount}`, withCeiling({ capacity: '0', refillPerSecond: '1' })],
    [`${where}.ceilings.mint.refillPerSecond ${amount}`, withCeiling({ capacity: '1', refillPerSecond: '1.0000001' })],
  ]
  for (const [problem, change] of refused) {
    it(`refuses: ${problem}`, () =>
      assert.ok(problemsOf(ENV, change).includes(problem), problemsOf(ENV, change).join()))
  }

  it('refuses unknown fields', () => {
    const odd = { odd: 1 }
    for (const change of [
      withDeployment(odd),
      withDeployment({ unsafe: { admin: true } }),
      withDeployment({ ceilings: { ...CHAIN.deployment.ceilings, ...odd } }),
      withCeiling({ ...CHAIN.deployment.ceilings.mint, ...odd }),
    ]) {
      assert.match(problemsOf(ENV, change).join(), /has an unknown field/)
    }
  })
})

describe('keys and powers', () => {
  it('each key of operators may be left out', () => {
    for (const name of ['freezer', 'pauser', 'unpauser'] as const) {
      assert.equal(load(LIVE, { [name]: undefined })[name], undefined)
    }
  })

  it('live needs the entry, and a sandbox does not', () => {
    assert.match(problemsOf(LIVE, { deployment: undefined }).join(), /^Chain 8453 needs "deployment" in live/)
    assert.equal(load(ENV, { deployment: undefined }).deployment, undefined)
  })

  it('live refuses a key that is not among those who hold its power', () => {
    const cases: [string, string, Record<string, unknown>][] = [
      ['signers[1]', 'signers', { signers: [privateKeyToAddress(SAMPLE_VARIABLES.BASE_SIGNER_1)] }],
      ['linker', 'linkers', { linkers: [other] }],
      ['freezer', 'freezers', { freezers: [other] }],
      ['pauser', 'pausers', { pausers: [other] }],
      ['unpauser', 'unpausers', { unpausers: [other] }],
    ]
    for (const [key, role, change] of cases) {
      assert.deepEqual(problemsOf(LIVE, withDeployment(change)), [
        `The ${key} key of chain 8453 is not among deployment.${role}.`,
      ])
      assert.deepEqual(problemsOf(ENV, withDeployment(change)), [])
    }
  })

  it('live refuses one key for two of the powers', () => {
    for (const one of ['linker', 'pauser', 'unpauser']) {
      const { freezers, ...rest } = CHAIN.deployment
      const change = { freezer: CHAIN[one], deployment: { ...rest, freezers: [...freezers, ...holdersOf(one)] } }
      assert.match(problemsOf(LIVE, change).join(), /uses one key for two roles/)
    }
  })
})

function holdersOf(name: string): string[] {
  return name === 'linker' ? [CHAIN.linker.address] : CHAIN.deployment[`${name}s`]
}
