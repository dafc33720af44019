import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'
import pg from 'pg'
import { CONNECTOR_SETTINGS, LIVE_SETTINGS } from '../../test/support/live-settings.ts'
import { changed, type Env, LIVE, load, problemsOf, SAMPLE } from '../../test/support/settings.ts'
import { loadMigrationConfig } from '../config.ts'

/** The sample with one pauser. */
function withPauser(address: string): string {
  return changed({ deployment: { ...JSON.parse(SAMPLE).chains[0].deployment, pausers: [address] } })
}

describe('live', () => {
  const anvilKey = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
  const anvilAddress = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
  const refused: [string, Env, string?][] = [
    ['DATABASE_URL', { ...LIVE, DATABASE_URL: undefined }],
    ['CHAINS_FILE', { ...LIVE, CHAINS_FILE: undefined }],
    ['SECRETS_KEY', { ...LIVE, SECRETS_KEY: undefined }],
    ['WEBHOOK_ALLOW_LOOPBACK', { ...LIVE, WEBHOOK_ALLOW_LOOPBACK: 'true' }],
    ['simulated rail', { ...LIVE, PAYOUT_RAIL: undefined }],
    ['PAYOUT_URL', { ...LIVE, PAYOUT_URL: 'http://bank.example' }],
    ['default key', { ...LIVE, BASE_SIGNER_1: anvilKey }],
    ['default key', { ...LIVE, BASE_PAUSER: anvilKey.slice(2).toUpperCase() }, withPauser(anvilAddress)],
    ['default key', LIVE, changed({ linker: { type: 'remote', url: 'https://s.example', address: anvilAddress } })],
    ['one key for two roles', LIVE, changed({ linker: JSON.parse(SAMPLE).chains[0].freezer })],
  ]
  for (const [words, env, file] of refused) {
    it(`refuses: ${words}`, () => {
      const problems = problemsOf(env, file)
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', new RegExp(words))
    })
  }

  it('needs SECRETS_KEY only where something is sealed or opened', () => {
    const keyless: Env = { ...LIVE, SECRETS_KEY: undefined }
    assert.equal(load({ ...keyless, COIN_ROLES: 'api,settler' }).secretsKey, undefined)
    for (const role of ['payer', 'courier', 'operator']) {
      assert.match(problemsOf({ ...keyless, COIN_ROLES: `api,${role}` }).join(), /^live needs SECRETS_KEY/, role)
    }
  })

  it('needs no OPERATOR_TOKEN once people have tokens of their own', () => {
    assert.equal(load({ ...LIVE, OPERATOR_TOKEN: undefined }).operatorToken, undefined)
  })

  const signer = LIVE_SETTINGS.BASE_SIGNER_1
  const unsafe: [string, Env, string?][] = [
    ['OPERATOR_TOKEN is not random', { ...LIVE, OPERATOR_TOKEN: 'x'.repeat(40) }],
    ['OPERATOR_TOKEN is not random', { ...LIVE, OPERATOR_TOKEN: 'correct-horse-battery-'.repeat(2) }],
    ['PAYOUT_TOKEN is not random', { ...LIVE, PAYOUT_TOKEN: 'abcdefg'.repeat(5).slice(0, 32) }],
    ['SECRETS_KEY is not random', { ...LIVE, SECRETS_KEY: '5e'.repeat(32) }],
    ['signers.0. key of chain 8453 is not random', { ...LIVE, BASE_SIGNER_1: 'a1'.repeat(32) }],
    ['OPERATOR_TOKEN and PAYOUT_TOKEN are the same', { ...LIVE, PAYOUT_TOKEN: LIVE.OPERATOR_TOKEN }],
    ['OPERATOR_TOKEN and SECRETS_KEY are the same', { ...LIVE, OPERATOR_TOKEN: LIVE.SECRETS_KEY?.toUpperCase() }],
    ['SECRETS_KEY and The signers.0. key', { ...LIVE, SECRETS_KEY: signer.slice(2) }],
    ['OPERATOR_TOKEN and The signers.0. key', { ...LIVE, OPERATOR_TOKEN: signer }],
    ['DATABASE_URL must end in', { ...LIVE, DATABASE_URL: 'postgres://coin:p@db.internal/coin' }],
    ['DATABASE_URL must end in', { ...LIVE, DATABASE_URL: 'postgres://coin:p@db.internal/coin?sslmode=prefer' }],
    ['DATABASE_URL must end in', { ...LIVE, DATABASE_URL: 'postgres://coin:p@127.0.0.1/coin?host=db.internal' }],
    ['DATABASE_URL must end in', { ...LIVE, DATABASE_URL: 'postgres:///coin?user=coin', PGHOST: 'db.internal' }],
    ['REDIS_URL must begin with rediss', { ...LIVE, REDIS_URL: 'redis://cache.internal:6379' }],
    ['TRUSTED_PROXIES trusts everybody', { ...LIVE, TRUSTED_PROXIES: '192.0.2.1,0.0.0.0/0' }],
    ['TRUSTED_PROXIES trusts everybody', { ...LIVE, TRUSTED_PROXIES: '128.0.0.0/1' }],
    ['TRUSTED_PROXIES trusts everybody', { ...LIVE, TRUSTED_PROXIES: '::/0' }],
    ['TRUSTED_PROXIES trusts everybody', { ...LIVE, TRUSTED_PROXIES: '10.0.0.0/7' }],
    ['TRUSTED_PROXIES trusts everybody', { ...LIVE, TRUSTED_PROXIES: 'fc00::/6' }],
    ['NODE_TLS_REJECT_UNAUTHORIZED=0', { ...LIVE, NODE_TLS_REJECT_UNAUTHORIZED: '0' }],
    ['live refuses DEBUG', { ...LIVE, DEBUG: 'express:*,ioredis:redis' }],
    ['live refuses DEBUG', { ...LIVE, DEBUG: '*' }],
    ['live refuses NODE_DEBUG', { ...LIVE, NODE_DEBUG: 'net' }],
    ['one RPC address twice', { ...LIVE, BASE_RPC_3: `${LIVE_SETTINGS.BASE_RPC_2}/` }],
    ['OPERATOR_TOKN is not a setting. Was OPERATOR_TOKEN meant', { ...LIVE, OPERATOR_TOKN: 'x' }],
    ['COIN_ENV is not a setting', { ...LIVE, COIN_ENV: 'live' }],
  ]
  for (const [words, env, file] of unsafe) {
    it(`refuses what would hurt: ${words}`, () => {
      const problems = problemsOf(env, file)
      assert.equal(problems.length, 1, problems.join('\n'))
      assert.match(problems[0] ?? '', new RegExp(words))
    })
  }

  it('refuses a node that counts twice by another spelling or name, and takes two of one machine', () => {
    const problems = (one: string, other: string) => problemsOf({ ...LIVE, BASE_RPC_2: one, BASE_RPC_3: other })
    for (const [one, other] of [
      ['http://127.0.0.1:8545', 'http://localhost:8545'],
      ['http://localhost:8545/', 'http://[::1]:8545'],
      ['https://Node.example.com/key', 'https://node.example.com.:443/key/#two'],
    ] as const)
      assert.match(problems(one, other).join(), /names one RPC address twice/, other)
    for (const [one, other] of [
      ['http://127.0.0.1:8545', 'http://localhost:8546'],
      ['https://node.example.com/key', 'https://node.example.com/other'],
    ] as const)
      assert.deepEqual(problems(one, other), [], other)
  })

  it('refuses one confirmation where the chain has no finality of its own', () => {
    assert.match(problemsOf(LIVE, changed({ confirmations: 1 })).join(), /^Chain 8453 has "confirmations": 1/)
    assert.deepEqual(problemsOf(LIVE, changed({ confirmations: 2 })), [])
    assert.deepEqual(problemsOf(LIVE, changed({ confirmations: 1, finality: 'finalized' })), [])
  })

  it('refuses a key that is a small number, for two reasons', () => {
    const [first, second] = problemsOf({ ...LIVE, BASE_SIGNER_1: `${'0'.repeat(63)}1` })
    assert.match(`${first} ${second}`, /key of chain 8453 is not random.* is a default key of a development tool/)
  })

  it('refuses a key with another role on another chain, and takes one with the same role', () => {
    const [chain] = JSON.parse(SAMPLE).chains
    const elsewhere = { ...chain, key: 'other', chainId: 10 }
    const both = (other: Record<string, unknown>) => JSON.stringify({ chains: [chain, { ...elsewhere, ...other }] })
    assert.deepEqual(problemsOf(LIVE, both({})), [])
    const swapped = { freezer: chain.unpauser, unpauser: chain.freezer }
    const roles = { ...chain.deployment, freezers: chain.deployment.unpausers, unpausers: chain.deployment.freezers }
    assert.deepEqual(problemsOf(LIVE, both({ ...swapped, deployment: roles })), [
      'A key of chain 10 (freezers) has another role on chain 8453 (unpausers).',
      'A key of chain 10 (unpausers) has another role on chain 8453 (freezers).',
    ])
  })

  it('takes servers of this machine without TLS, and proxies of a network of one’s own', () => {
    for (const DATABASE_URL of [
      'postgres://coin:p@127.0.0.1:5432/coin',
      'postgres://coin:p@localhost/coin',
      'postgres://coin@%2Fvar%2Frun%2Fpostgresql/coin',
      'postgres:///coin?host=/var/run/postgresql',
      'postgresql://coin:p@db.internal/coin?sslmode=require',
    ]) {
      assert.deepEqual(problemsOf({ ...LIVE, DATABASE_URL }), [], DATABASE_URL)
    }
    const elsewhere = { ...LIVE, DATABASE_URL: 'postgres:///coin?user=coin&sslmode=verify-full', PGHOST: 'db.internal' }
    assert.deepEqual(problemsOf(elsewhere), [])
    for (const PGHOST of ['localhost', '/var/run/postgresql', ' ', undefined])
      assert.deepEqual(problemsOf({ ...LIVE, DATABASE_URL: 'postgres:///coin?user=coin', PGHOST }), [], String(PGHOST))
    const named = 'postgres://coin:p@localhost/coin'
    assert.deepEqual(problemsOf({ ...LIVE, DATABASE_URL: named, PGHOST: 'db.internal' }), [])
    // Many a program is told to be quiet, or loud, by the same name.
    for (const DEBUG of ['false', '0', 'app', 'express:*', 'app,-ioredis:*'])
      assert.deepEqual(problemsOf({ ...LIVE, DEBUG }), [], DEBUG)
    const migrating = { COIN_ENVIRONMENT: 'live', DATABASE_URL: 'postgres:///coin?user=coin' }
    assert.equal(loadMigrationConfig(migrating).environment, 'live')
    assert.throws(() => loadMigrationConfig({ ...migrating, PGHOST: 'db.internal' }), /DATABASE_URL must end in/)
    for (const REDIS_URL of ['redis://127.0.0.1', 'rediss://cache.internal']) {
      assert.deepEqual(problemsOf({ ...LIVE, REDIS_URL }), [], REDIS_URL)
    }
    assert.deepEqual(problemsOf({ ...LIVE, TRUSTED_PROXIES: '10.0.0.0/8,fc00::/7' }), [])
  })

  it('takes an address of another machine only if the driver then checks whom it talks to, however the address is written', () => {
    const modes = [
      '',
      'sslmode=disable',
      'sslmode=prefer',
      'sslmode=require',
      'sslmode=verify-full',
      'sslmode=no-verify',
    ]
    const others = [
      '',
      'uselibpqcompat=true',
      'host=localhost',
      'host=localhost&host=db.internal',
      'host=',
      'ssl=0',
      'ssl=true',
      ...modes,
    ]
    const taken: string[] = []
    for (const queries of modes.flatMap((mode) => others.map((other) => [mode, other]))) {
      for (const query of new Set([queries.join('&'), queries.toReversed().join('&')])) {
        const DATABASE_URL = `postgres://coin:p@db.internal/coin?${query}`
        if (problemsOf({ ...LIVE, DATABASE_URL }).length > 0) continue
        const { host, ssl } = new pg.Client({ connectionString: DATABASE_URL }) as { host: string; ssl: unknown }
        if (host !== 'localhost') assert.deepEqual({ ...(ssl as object) }, {}, query)
        taken.push(query)
      }
    }
    for (const query of ['sslmode=verify-full&', 'sslmode=verify-full&uselibpqcompat=true', 'sslmode=require&'])
      assert.ok(taken.includes(query), query)
    const byAnybody = 'postgres://coin:p@db.internal/coin?uselibpqcompat=true&sslmode=verify-ca&sslrootcert=/ca.crt'
    assert.equal(problemsOf({ ...LIVE, DATABASE_URL: byAnybody }).length, 1)
  })

  it('is not what a sandbox is held to', () => {
    const { chains } = load({ ...LIVE, COIN_ENVIRONMENT: 'sandbox', BASE_SIGNER_1: anvilKey })
    assert.equal(chains.length, 1)
  })
})

describe('a sandbox', () => {
  it('pays nobody, so it works with chains of which everybody can have coin', () => {
    const sandbox = { ...LIVE, COIN_ENVIRONMENT: undefined, PAYOUT_RAIL: undefined }
    assert.match(problemsOf(sandbox).join(), /^Chain 8453 is not a known test chain/)
    for (const chainId of [31_337, 11_155_111, 84_532]) assert.deepEqual(problemsOf(sandbox, changed({ chainId })), [])
    assert.deepEqual(problemsOf({ ...sandbox, ...CONNECTOR_SETTINGS }), [])
  })
})

describe('a misspelt setting', () => {
  const misspelt = ['OPERATER_TOKEN', 'PAYOUTURL', 'TRUSTED_PROXYS', 'COIN_ROLE', 'COIN_ANYTHING']
  for (const name of misspelt) {
    it(`is named: ${name}`, () => assert.match(problemsOf({ [name]: '1' }).join(), new RegExp(`^${name} is not`)))
  }

  it('is not what the guides have a partner export', () => {
    const root = path.join(import.meta.dirname, '../..')
    const guides = readdirSync(path.join(root, 'docs/guides')).map((name) => `docs/guides/${name}`)
    const text = ['README.md', ...guides].map((name) => readFileSync(path.join(root, name), 'utf8')).join('\n')
    const exported = [...text.matchAll(/^export ([A-Z_]+)=/gm)].map(([, name = '']) => name)
    assert.ok(exported.includes('COIN_API') && exported.includes('COIN_KEY'), exported.join())
    assert.deepEqual(problemsOf(Object.fromEntries(exported.map((name) => [name, 'x']))), [])
  })

  it('is not what other programs have set, nor what the chains file names', () => {
    const others = {
      PATH: '/bin',
      PWD: '/',
      HOSTNAME: 'a',
      NODE_ENV: 'production',
      OPERATOR_URL: 'http://x',
      MY_PORT: '1',
    }
    assert.deepEqual(problemsOf(others), [])
    assert.deepEqual(problemsOf({ ...LIVE, ...others }), [])
    assert.deepEqual(problemsOf({ OPERATER_TOKEN: ' ' }), [])
    // The address or the key that the one in the chains file replaces.
    assert.deepEqual(problemsOf({ ...LIVE, BASE_RPC_4: 'https://rpc.example', BASE_SIGNER_2: 'x' }), [])
    // What Kubernetes sets in every container for services called coin, coin-api and redis.
    const services = {
      COIN_SERVICE_HOST: '10.0.0.1',
      COIN_SERVICE_PORT: '80',
      COIN_API_SERVICE_HOST: '10.0.0.1',
      COIN_API_SERVICE_PORT_HTTP: '80',
      COIN_API_PORT: 'tcp://10.0.0.1:80',
      COIN_API_PORT_80_TCP: 'tcp://10.0.0.1:80',
      COIN_API_PORT_80_TCP_ADDR: '10.0.0.1',
    }
    assert.deepEqual(problemsOf(services), [])
    assert.match(problemsOf({ COIN_PORT: '80' }).join(), /^COIN_PORT is not/)
  })
})
