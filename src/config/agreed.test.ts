import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadConfig } from '../config.ts'
import { agreedSettings } from './agreed.ts'

const of = (env: Record<string, string>) => new Map(agreedSettings(loadConfig(env)))

test('each process says in what it must agree with others, by its roles alone', () => {
  const api = of({ COIN_ROLES: 'api', MINT_FLOOR: '2', REDIS_URL: 'redis://user:secret@cache.internal:6380' })
  assert.equal(api.get('MINT_FLOOR'), '2')
  assert.equal(api.get('MINT_DAY_CAP'), 'none')
  assert.equal(api.get('REDIS_URL'), 'cache.internal:6380')
  for (const name of ['PAYOUT_RAIL', 'FOUR_EYES', 'RETENTION_EVENT_DAYS', 'RESERVE_GUARD'])
    assert.ok(!api.has(name), name)
  const payer = of({
    COIN_ROLES: 'payer',
    PAYOUT_RAIL: 'http',
    PAYOUT_URL: 'https://bank.example/a-secret-path',
    PAYOUT_TOKEN: 'x'.repeat(40),
  })
  assert.match(payer.get('PAYOUT_RAIL') ?? '', /^http-[0-9a-f]{8}$/)
  assert.match(payer.get('RESERVES_SIGNING_KEY') ?? '', /^0x[0-9a-fA-F]{40}$/)
  for (const name of ['MINT_FLOOR', 'DEFAULT_CHAIN_ID']) assert.ok(!payer.has(name), name)
})

test('of a chain what decides about money is compared, and not the nodes that a process asks', () => {
  const { chains: _, ...config } = loadConfig({ COIN_ROLES: 'settler' })
  const chain = {
    chainId: 8453,
    confirmations: 12,
    finality: 'depth',
    coin: { address: '0xc0' },
    settlement: '0x5e',
    sanctionsOracle: undefined,
    rpcUrls: ['https://node.example/key'],
  }
  const said = (changed: object) =>
    agreedSettings({ ...config, chains: [{ ...chain, ...changed }] as never }).filter(([name]) => /chain/i.test(name))
  assert.deepEqual(said({}), [
    ['chain 8453', '12 depth 0xc0 0x5e no oracle'],
    ['CHAINS_FILE', '8453'],
  ])
  assert.deepEqual(said({ rpcUrls: ['https://other.example/'] }), said({}))
  for (const change of [
    { confirmations: 2 },
    { finality: 'finalized' },
    { settlement: '0x5f' },
    { sanctionsOracle: '0x0' },
  ])
    assert.notDeepEqual(said(change), said({}))
})
