import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { SAMPLE_VARIABLES } from '../test/support/live-settings.ts'
import { changed, type Env, LIVE, load, problemsOf, SAMPLE } from '../test/support/settings.ts'

describe('loadConfig', () => {
  it('needs nothing for a sandbox', () => {
    const config = load({})
    assert.equal(config.environment, 'sandbox')
    assert.equal(config.port, 4000)
    assert.equal(config.operatorPort, 4001)
    assert.equal(config.dataDir, '.data')
    assert.equal(config.webhookAllowLoopback, true)
    assert.deepEqual(config.chains, [])
    assert.deepEqual([...config.roles], ['api', 'settler', 'payer', 'courier', 'operator'])
    assert.equal(config.policy.redeemCeilingMicro, 1_000_000_000_000n)
    assert.ok(Object.isFrozen(config) && Object.isFrozen(config.policy))
  })

  it('has the limits of the contract, and takes none above them for transfers and for customers who are not resident', () => {
    const { policy, rates } = load({})
    const { transferTxCapMicro, transferDayCapMicro, nonResidentLimitMicro } = policy
    assert.deepEqual(
      [transferTxCapMicro, transferDayCapMicro, nonResidentLimitMicro],
      [50_000_000_000n, 250_000_000_000n, 100_000_000_000n],
    )
    assert.deepEqual(rates, { read: 120, write: 60, balances: 60 })
    // What the contract leaves to the issuer.
    const { mintFloorMicro, redeemCeilingMicro, monthlyWithdrawalCapMicro } = policy
    assert.deepEqual(
      [mintFloorMicro, redeemCeilingMicro, monthlyWithdrawalCapMicro],
      [1_000_000n, 1_000_000_000_000n, 500_000_000_000n],
    )
    for (const [name, above] of [
      ['TRANSFER_TX_CAP', '50000.000001'],
      ['TRANSFER_DAY_CAP', '250000.000001'],
      ['NON_RESIDENT_LIMIT', '100000.000001'],
    ] as const) {
      assert.match(String(problemsOf({ [name]: above })), new RegExp(`${name} must be`))
    }
  })

  it('keeps answers as long as promised, and events as long as the deliveries that carry them', () => {
    assert.deepEqual(load({}).retention, { answerDays: 100, deliveryDays: 100, eventDays: 400, batchDays: 100 })
    const long = load({ RETENTION_DELIVERY_DAYS: '500', RETENTION_ANSWER_DAYS: '90', RETENTION_BATCH_DAYS: '30' })
    assert.deepEqual(long.retention, { answerDays: 90, deliveryDays: 500, eventDays: 500, batchDays: 30 })
    assert.match(
      String(problemsOf({ RETENTION_BATCH_DAYS: '29' })),
      /RETENTION_BATCH_DAYS must be a whole number from 30/,
    )
    assert.match(
      String(problemsOf({ RETENTION_ANSWER_DAYS: '89' })),
      /RETENTION_ANSWER_DAYS must be a whole number from 90/,
    )
    const short = { RETENTION_DELIVERY_DAYS: '50', RETENTION_EVENT_DAYS: '49' }
    assert.match(String(problemsOf(short)), /RETENTION_EVENT_DAYS must be a whole number from 50/)
  })

  it('gives a stop 25 s, or more, so that it is always longer than what it drains for', () => {
    assert.equal(load({}).stopMs, 25_000)
    assert.equal(load({ STOP_MS: '120000' }).stopMs, 120_000)
    assert.match(String(problemsOf({ STOP_MS: '24999' })), /STOP_MS must be a whole number from 25/)
    assert.match(String(problemsOf({ DRAIN_MS: '20001' })), /DRAIN_MS must be a whole number from 0/)
  })

  it('takes an empty variable as absent', () => {
    assert.deepEqual(load({ PORT: '', COIN_ENVIRONMENT: ' ', DATABASE_URL: '' }), load({}))
  })

  it('reads the documented live sample', () => {
    const config = load(LIVE)
    const [chain] = config.chains
    assert.equal(config.defaultChainId, 8453)
    assert.equal(chain?.quorum, 2)
    assert.deepEqual(chain?.rpcUrls[1], SAMPLE_VARIABLES.BASE_RPC_2)
    assert.deepEqual(chain?.signers[0], { type: 'key', privateKey: SAMPLE_VARIABLES.BASE_SIGNER_1 })
    assert.equal(chain?.explorerTxUrl, 'https://basescan.org/tx/')
    assert.equal(chain?.maxFeePerGasWei, 50_000_000_000n)
    assert.equal(config.webhookAllowLoopback, false)
  })

  it('reports what nobody asked for on a chain, and pauses only where it is told to', () => {
    assert.equal(load(LIVE).onForeignMovement, 'report')
    assert.equal(load({ ...LIVE, ON_FOREIGN_MOVEMENT: 'pause' }).onForeignMovement, 'pause')
    assert.throws(
      () => load({ ...LIVE, ON_FOREIGN_MOVEMENT: 'stop' }),
      /ON_FOREIGN_MOVEMENT must be one of report, pause/,
    )
  })

  it('goes by depth alone unless the chain is to wait for finality', () => {
    assert.equal(load(LIVE, changed({ finality: undefined })).chains[0]?.finality, 'depth')
    assert.equal(load(LIVE, changed({ finality: 'finalized' })).chains[0]?.finality, 'finalized')
  })

  it('asks for a majority of the RPC addresses when no quorum is given', () => {
    assert.equal(load(LIVE, changed({ quorum: undefined })).chains[0]?.quorum, 2)
  })

  it('names every problem at once', () => {
    const problems = problemsOf({ COIN_ENVIRONMENT: 'prod', PORT: '70000', COIN_ROLES: 'api,miner', MINT_FEE: '-1' })
    assert.equal(problems.length, 4)
    for (const name of ['COIN_ENVIRONMENT', 'PORT', 'COIN_ROLES', 'MINT_FEE']) {
      assert.ok(
        problems.some((problem) => problem.startsWith(name)),
        name,
      )
    }
  })
})

describe('settings that are refused', () => {
  const refused: [string, Env][] = [
    ['PORT', { PORT: '1e3' }],
    ['PORT', { PORT: '4000.5' }],
    ['OPERATOR_TOKEN', { OPERATOR_TOKEN: 'short' }],
    ['SECRETS_KEY', { SECRETS_KEY: 'ab'.repeat(31) }],
    ['DATABASE_URL', { DATABASE_URL: 'mysql://db/coin' }],
    ['REDIS_URL', { REDIS_URL: 'not a url' }],
    ['TRUSTED_PROXIES', { TRUSTED_PROXIES: '10.0.0.0/8,nonsense' }],
    ['SUNSET_DATE', { SUNSET_DATE: 'tomorrow' }],
    ['SUNSET_DATE', { SUNSET_DATE: '2027-13-40' }],
    ['SUNSET_DATE', { SUNSET_DATE: '2027-02-30' }],
    ['MINT_CEILING', { ...LIVE, MINT_CEILING: undefined }],
    ['MINT_DAY_CAP', { ...LIVE, MINT_DAY_CAP: ' ' }],
    ['WEBHOOK_ALLOW_LOOPBACK', { WEBHOOK_ALLOW_LOOPBACK: 'yes' }],
    ['TRANSFER_TX_CAP', { TRANSFER_TX_CAP: '50001' }],
    ['NON_RESIDENT_LIMIT', { NON_RESIDENT_LIMIT: '100000.000001' }],
    ['PAYOUT_URL', { PAYOUT_RAIL: 'http' }],
    ['DEFAULT_CHAIN_ID', { ...LIVE, DEFAULT_CHAIN_ID: '1' }],
    ['BASE_SIGNER_1', { ...LIVE, BASE_SIGNER_1: 'ff'.repeat(32) }],
    ['BASE_SIGNER_1', { ...LIVE, BASE_SIGNER_1: undefined }],
    ['BASE_RPC_2', { ...LIVE, BASE_RPC_2: 'http://rpc.example' }],
  ]
  for (const [name, env] of refused) {
    it(`names ${name}`, () => {
      const problems = problemsOf(env)
      assert.ok(
        problems.some((problem) => problem.startsWith(name)),
        problems.join('\n'),
      )
    })
  }

  const files: [string, string | null][] = [
    ['cannot be read', null],
    ['not valid JSON', '{"chains": ['],
    ['must be an object', '[]'],
    ['chains must be a list', '{"chains": []}'],
    ['unknown field', changed({ privateKey: '0x01' })],
    ['same chainId', JSON.stringify({ chains: [...JSON.parse(SAMPLE).chains, ...JSON.parse(SAMPLE).chains] })],
    ['finality must be "depth" or "finalized"', changed({ finality: 'safe' })],
    ['quorum must be a whole number from 1 to 3', changed({ quorum: 4 })],
    ['settlement must be a checksummed address', changed({ settlement: `0x${'0'.repeat(40)}` })],
    ['rpcUrls[0] must be', changed({ rpcUrls: ['http://node.example'] })],
    ['signers must be a list', changed({ signers: [] })],
    ['linker.type must be', changed({ linker: { type: 'ledger' } })],
  ]
  for (const [words, file] of files) {
    it(`a chains file: ${words}`, () => {
      const problems = problemsOf(LIVE, file)
      assert.ok(
        problems.some((problem) => problem.includes(words)),
        problems.join('\n'),
      )
      assert.doesNotMatch(problems.join('\n'), /live needs CHAINS_FILE/)
    })
  }

  it('in live what is there and cannot be used once, and not as missing too', () => {
    for (const name of ['DATABASE_URL', 'SECRETS_KEY', 'RESERVES_SIGNING_KEY']) {
      const problems = problemsOf({ ...LIVE, [name]: 'no such thing' })
      assert.deepEqual([problems.length, problems[0]?.split(' ')[0]], [1, name], problems.join('\n'))
    }
  })
})

describe('each rule alone', () => {
  const says = (problems: readonly string[], words: string) =>
    assert.ok(
      problems.some((problem) => problem.includes(words)),
      `${words}: ${problems.join(' | ')}`,
    )

  it('values at their bounds are taken, and those beyond them are not', () => {
    const config = load({ PORT: '65535', OPERATOR_PORT: '0', TRANSFER_TX_CAP: '50000', MINT_FEE: '0' })
    assert.deepEqual([config.port, config.operatorPort], [65_535, 0])
    assert.deepEqual([config.policy.transferTxCapMicro, config.policy.feeMicro.MINT], [50_000_000_000n, 0n])
    says(problemsOf({ PORT: '65536' }), 'PORT must be')
    says(problemsOf({ TRANSFER_TX_CAP: '50000.000001' }), 'TRANSFER_TX_CAP must be')
    assert.equal(load({ OPERATOR_TOKEN: 'x'.repeat(32) }).operatorToken?.length, 32)
    says(problemsOf({ OPERATOR_TOKEN: 'x'.repeat(31) }), 'OPERATOR_TOKEN must be')
    assert.equal(load({ DATA_DIR: 'x'.repeat(10_000) }).dataDir.length, 10_000)
    says(problemsOf({ DATA_DIR: 'x'.repeat(10_001) }), 'DATA_DIR is too long')
  })

  it('lists and dates may have blanks around their entries, and are refused when one entry is wrong', () => {
    assert.deepEqual([...load({ COIN_ROLES: 'api , payer' }).roles], ['api', 'payer'])
    assert.deepEqual(load({ TRUSTED_PROXIES: '10.0.0.0/8 , 192.0.2.1' }).trustedProxies, ['10.0.0.0/8', '192.0.2.1'])
    assert.equal(load({ SUNSET_DATE: '2027-06-30' }).sunsetDate?.toISOString(), '2027-06-30T00:00:00.000Z')
    says(problemsOf({ COIN_ROLES: 'miner,api' }), 'COIN_ROLES must be')
  })

  it('the bank connector needs an address and a token; each is named when it is missing', () => {
    const payout = { PAYOUT_RAIL: 'http', PAYOUT_URL: 'https://bank.example/' }
    assert.deepEqual(problemsOf(payout), ['PAYOUT_TOKEN is required with PAYOUT_RAIL=http.'])
    const token = { PAYOUT_RAIL: 'http', PAYOUT_TOKEN: LIVE.PAYOUT_TOKEN }
    assert.deepEqual(problemsOf(token), ['PAYOUT_URL is required with PAYOUT_RAIL=http.'])
    assert.deepEqual(problemsOf({ PAYOUT_RAIL: 'http', COIN_ROLES: 'api,operator' }), [])
  })

  it('a bank connector is called after its address, not after who asks there; or as somebody says', () => {
    const nameOf = (settings: Record<string, string>) => {
      const { payout } = load({ PAYOUT_RAIL: 'http', PAYOUT_TOKEN: LIVE.PAYOUT_TOKEN, ...settings })
      return payout.type === 'http' ? payout.connector : undefined
    }
    const addresses = [
      'https://bank.example/',
      'https://bank.example/a',
      'https://bank.example/?b=1',
      'https://b.example/',
    ]
    const names = addresses.map((PAYOUT_URL) => nameOf({ PAYOUT_URL }))
    for (const name of names) assert.match(name ?? '', /^[0-9a-f]{8}$/)
    assert.equal(new Set(names).size, addresses.length)
    assert.equal(nameOf({ PAYOUT_URL: 'https://bank.example', PAYOUT_TOKEN: `${LIVE.PAYOUT_TOKEN}2` }), names[0])
    const [before = '', , , now = ''] = names
    const moved = { PAYOUT_RAIL: 'http', PAYOUT_URL: 'https://b.example/', PAYOUT_CONNECTOR: `${before}@${now}` }
    assert.equal(nameOf(moved), before)
    for (const PAYOUT_CONNECTOR of [before, `Bank 1@${now}`, `${before}@`])
      says(problemsOf({ ...moved, PAYOUT_CONNECTOR }), `PAYOUT_CONNECTOR must be NAME@${now}`)
  })

  it('what was said of one address of a connector does not count for the next, which may be another bank’s', () => {
    const { PAYOUT_TOKEN } = LIVE
    const there = { PAYOUT_RAIL: 'http', PAYOUT_TOKEN, PAYOUT_URL: 'https://b.example/' }
    const { payout } = load(there)
    const at = payout.type === 'http' ? payout.connector : ''
    const moved = { ...there, PAYOUT_CONNECTOR: `3f0a12bc@${at}` }
    assert.deepEqual(problemsOf(moved), [])
    says(problemsOf({ ...moved, PAYOUT_URL: 'https://other-bank.example/' }), 'PAYOUT_CONNECTOR must be NAME@')
  })

  it('payment files need the bank profile where somebody pays or brings what the bank says, and nowhere else', () => {
    for (const role of ['payer', 'operator']) {
      says(problemsOf({ PAYOUT_RAIL: 'bank_files', COIN_ROLES: role }), 'BANK_PROFILE is required')
    }
    assert.deepEqual(problemsOf({ PAYOUT_RAIL: 'bank_files', COIN_ROLES: 'api,settler,courier' }), [])
  })

  it('the default chain is any one of those in the file', () => {
    const { chains } = JSON.parse(SAMPLE)
    const two = JSON.stringify({ chains: [chains[0], { ...chains[0], key: 'other', chainId: 10 }] })
    for (const chainId of [8453, 10]) {
      assert.equal(load({ ...LIVE, DEFAULT_CHAIN_ID: String(chainId) }, two).defaultChainId, chainId)
    }
    says(problemsOf({ ...LIVE, DEFAULT_CHAIN_ID: '11' }, two), 'DEFAULT_CHAIN_ID must be')
  })

  it('an unknown field is refused anywhere in the chains file', () => {
    const [chain] = JSON.parse(SAMPLE).chains
    const odd = { odd: 1 }
    const files = [
      JSON.stringify({ chains: [chain], ...odd }),
      changed({ explorer: { ...chain.explorer, ...odd } }),
      changed({ nativeCurrency: { ...chain.nativeCurrency, ...odd } }),
      changed({ coin: { ...chain.coin, ...odd } }),
      changed({ pauser: { ...chain.pauser, ...odd } }),
      changed({ linker: { ...chain.linker, ...odd } }),
      changed({ rpcUrls: [{ env: 'BASE_RPC_2', ...odd }] }),
    ]
    for (const file of files) says(problemsOf(LIVE, file), 'unknown field')
  })

  it('the address of a remote signer is safe, and a private key is a number of the curve', () => {
    says(problemsOf({ ...LIVE, BASE_LINKER_URL: 'http://signer.example' }), 'BASE_LINKER_URL')
    says(problemsOf({ ...LIVE, BASE_LINKER_URL: undefined }), 'BASE_LINKER_URL')
    const order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
    for (const key of ['0'.repeat(64), order]) says(problemsOf({ ...LIVE, BASE_PAUSER: key }), 'BASE_PAUSER')
    const largest = `${order.slice(0, -1)}0`
    const sandbox = { ...LIVE, COIN_ENVIRONMENT: 'sandbox', BASE_PAUSER: largest.toUpperCase() }
    assert.deepEqual(load(sandbox).chains[0]?.pauser, {
      type: 'key',
      privateKey: `0x${largest}`,
    })
  })
})

describe('whatever the settings are', () => {
  const names = [...Object.keys(LIVE), 'PORT', 'COIN_ROLES', 'MINT_FLOOR', 'SUNSET_DATE', 'RATE_READ']
  const secret = fc.string({ minLength: 12, maxLength: 80, unit: 'grapheme-ascii' }).map((text) => `s3cr3t${text}`)
  const values = fc.oneof(
    secret,
    fc.webUrl().map((url) => `${url}?s3cr3t`),
    fc.constantFrom('', '0', 'true', 'live'),
  )

  it('reports problems or gives a record, throws nothing else, and repeats no value', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), values), fc.boolean(), (overrides, isLive) => {
        const told = problemsOf({ ...(isLive ? LIVE : {}), ...overrides }).join('\n')
        assert.ok(!told.includes('s3cr3t'), told)
      }),
    )
  })

  it('repeats nothing of a chains file', () => {
    const file = fc.oneof(
      fc.json(),
      fc.string(),
      fc.jsonValue().map((value) => changed({ linker: value, quorum: value })),
    )
    fc.assert(
      fc.property(file, secret, (text, hidden) => {
        const withSecret = text.replace(/"[^"]*"/, JSON.stringify(hidden))
        assert.ok(!problemsOf(LIVE, withSecret).join('\n').includes('s3cr3t'))
      }),
    )
  })
})
