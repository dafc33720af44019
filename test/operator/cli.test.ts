// engine: postgres
/** The command line as operators and their scripts use it: a child process against the operator API. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, describe, it } from 'node:test'
import { getAddress } from 'viem'
import { childEnvironment } from '../support/child-environment.ts'
import { temporaryFolder } from '../support/temp.ts'
import { atLeast } from '../support/wait-for.ts'
import { COIN, type OperatorFixture, SETTLEMENT, startOperator, TOKEN } from './fixture.ts'

let coin: OperatorFixture
before(async () => {
  coin = await startOperator()
})
after(() => coin.close())

const newIntegration = async (): Promise<string> =>
  (await coin.run('integration', 'create', '--name', 'Acme')).integrationId

const LINK = ['--type', 'RETAIL', '--status', 'VERIFIED', '--level', 'TIER_2', '--country', 'MY']

describe('a reason', () => {
  it('goes along with any change, also where a command asks for one, and not with a look', async () => {
    const [integrationId, other] = [await newIntegration(), await newIntegration()]
    await coin.run('integration', 'suspend', integrationId, '--reason', 'ticket 17')
    await coin.run('integration', 'suspend', other)
    const reasonOf = async (target: string) => (await coin.run('audit', 'list', '--target', target)).entries[0].details
    assert.deepEqual([await reasonOf(integrationId), await reasonOf(other)], [{ reason: 'ticket 17' }, {}])
    const hold = await coin.cli(['order', 'hold', `${integrationId}/none`, '--reason', 'ticket 17', '--json'])
    assert.equal(JSON.parse(hold.stdout).error.code, 'NOT_FOUND')
    const look = await coin.cli(['integration', 'show', integrationId, '--reason', 'ticket 17'])
    assert.deepEqual([look.code, look.stderr.includes('changes nothing')], [1, true], look.stderr)
    const resume = `/integrations/${integrationId}/resume`
    for (const reason of ['x'.repeat(301), '', 17, null]) {
      const { status, body } = await coin.call('POST', resume, { reason })
      assert.deepEqual([status, body.error.message], [400, '"reason" must be 1 to 300 characters.'])
    }
    assert.equal((await coin.call('GET', `/integrations/${integrationId}`)).body.integration.status, 'suspended')
  })
})

describe('results', () => {
  it('of integrations', async () => {
    const integrationId = await newIntegration()
    assert.match(integrationId, /^int_[0-9a-f]{24}$/)
    assert.equal((await coin.run('integration', 'show', integrationId)).integration.status, 'active')
    const signed = await coin.run('integration', 'set', integrationId, '--dpa-signed', '2026-01-31')
    assert.equal(signed.integration.dpaSignedOn, '2026-01-31')
    assert.equal((await coin.run('integration', 'set', integrationId, '--no-dpa')).integration.dpaSignedOn, null)
    assert.equal((await coin.run('integration', 'suspend', integrationId)).integration.status, 'suspended')
    const { integrations } = await coin.run('integration', 'list', '--limit', '500')
    assert.ok(integrations.some((listed: { integrationId: string }) => listed.integrationId === integrationId))
  })

  it('of keys: exactly keyId and apiKey when one is created', async () => {
    const integrationId = await newIntegration()
    const limits = ['--rate-read', '9', '--rate-write', '8', '--rate-balances', '7']
    const caps = ['--transfer-tx-cap', '100.5', '--transfer-day-cap', '200', '--mint-day-cap', '300']
    const from = ['--ip', '203.0.113.0/24', '--ip', '2001:db8::1', '--expires', '2099-01-01T00:00:00Z']
    const created = await coin.run(
      'key',
      'create',
      '--integration',
      integrationId,
      '--scopes',
      'all',
      ...limits,
      ...caps,
      ...from,
    )
    assert.deepEqual(Object.keys(created).sort(), ['apiKey', 'keyId'])
    assert.match(created.apiKey, new RegExp(`^coin_sandbox_${created.keyId}_[0-9A-Za-z]{43}$`))
    const rotated = await coin.run('key', 'rotate', created.keyId, '--overlap', '2d', '--expires', 'never')
    assert.notEqual(rotated.keyId, created.keyId)
    await coin.run('key', 'revoke', created.keyId)
    const { keys } = await coin.run('key', 'list', '--integration', integrationId)
    const { createdAt: _, revokedAt, expiresAt: __, scopes, ...old } = keys[0]
    assert.notEqual(revokedAt, null)
    assert.equal(scopes.length, 13)
    assert.deepEqual(old, {
      keyId: created.keyId,
      integrationId,
      environment: 'sandbox',
      ipAllowlist: ['203.0.113.0/24', '2001:db8::1'],
      rateRead: 9,
      rateWrite: 8,
      rateBalances: 7,
      transferTxCap: '100.5',
      transferDayCap: '200',
      mintDayCap: '300',
      lastUsedAt: null,
      lastUsedFrom: null,
    })
    assert.equal(keys[1].expiresAt, null)
  })

  it('of customers and their wallets', async () => {
    const integrationId = await newIntegration()
    const bank = ['--bank-bic', 'MBBEMYKL', '--bank-account', '-', '--bank-name', 'Aminah binti Ali']
    const linked = await coin.runWith(
      '514012345678\n',
      'customer',
      'link',
      '--integration',
      integrationId,
      ...LINK,
      '--non-resident',
      '--monthly-cap',
      '1000',
      ...bank,
    )
    assert.deepEqual(Object.keys(linked), ['customerId'])
    const { customerId } = linked
    const address = '0x52908400098527886E0F7030069857D2E4169EE7'
    const added = await coin.run('wallet', 'add', '--customer', customerId, '--address', address.toLowerCase())
    assert.equal(added.walletAddress, address)
    await coin.run('customer', 'set', customerId, '--resident', '--can-transfer', 'no', '--level', 'TIER_3')
    const { customer } = await coin.run('customer', 'show', customerId)
    assert.equal(customer.residency.isResident, true)
    assert.equal(customer.verification.level, 'TIER_3')
    assert.deepEqual(customer.capabilities, { canMint: true, canRedeem: true, canTransfer: false })
    assert.equal(customer.limits.monthlyWithdrawalRemaining, '1000')
    assert.equal(customer.wallets[0].address, address)
    assert.equal((await coin.run('customer', 'set', customerId, '--no-bank')).customer.bank, null)
    assert.equal((await coin.run('customer', 'list', '--integration', integrationId)).customers.length, 1)
    assert.equal((await coin.run('wallet', 'list', '--customer', customerId)).wallets.length, 1)
  })

  it('of corporates', async () => {
    const integrationId = await newIntegration()
    const { corporateId } = await coin.run(
      'corporate',
      'link',
      '--integration',
      integrationId,
      '--name',
      'Kilang Sdn Bhd',
      '--status',
      'PENDING',
      '--stage',
      'REVIEW',
      '--country',
      'MY',
      '--industry',
      'Manufacturing',
    )
    const set = await coin.run('corporate', 'set', corporateId, '--status', 'VERIFIED', '--can-payroll', 'no')
    assert.deepEqual(set.corporate.capabilities, { canMint: true, canRedeem: true, canPayroll: false })
    assert.notEqual((await coin.run('corporate', 'show', corporateId)).corporate.verification.verifiedAt, null)
    assert.equal((await coin.run('corporate', 'list', '--integration', integrationId)).corporates.length, 1)
  })

  it('of webhooks', async (t) => {
    const received: { signature: unknown; body: string }[] = []
    const receiver = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => (body += chunk))
      request.on('end', () => {
        received.push({ signature: request.headers['x-coin-signature'], body })
        response.end()
      })
    })
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve))
    t.after(() => receiver.close())
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`
    const integrationId = await newIntegration()
    const added = await coin.run(
      'webhook',
      'add',
      '--integration',
      integrationId,
      '--url',
      url,
      '--event',
      'mint.pending',
    )
    assert.deepEqual(Object.keys(added).sort(), ['endpointId', 'secret'])
    assert.match(added.secret, /^whsec_/)
    const { endpointId } = added
    assert.equal((await coin.run('webhook', 'test', '--endpoint', endpointId)).acknowledged, true)
    assert.match(String(received[0]?.signature), /^t=\d+,v1=[0-9a-f]{64}$/)
    const rotated = await coin.run('webhook', 'rotate', endpointId)
    assert.notEqual(rotated.secret, added.secret)
    const again = await coin.cli(['webhook', 'rotate', endpointId, '--json'])
    assert.equal(JSON.parse(again.stdout).error.code, 'CONFLICT')
    assert.notEqual((await coin.run('webhook', 'rotate', endpointId, '--replace')).secret, rotated.secret)
    assert.equal((await coin.run('webhook', 'test', endpointId, '--next')).acknowledged, true)
    await coin.run('webhook', 'activate', endpointId)
    const disabled = await coin.run('webhook', 'disable', endpointId, '--reason', 'moving')
    assert.equal(disabled.endpoint.disabledReason, 'moving')
    assert.equal((await coin.run('webhook', 'enable', endpointId)).endpoint.status, 'enabled')
    const { endpoints } = await coin.run('webhook', 'list', '--integration', integrationId)
    assert.deepEqual(endpoints[0].eventTypes, ['mint.pending'])
    const listed = async () => (await coin.cli(['webhook', 'list', '--integration', integrationId])).stdout
    assert.match(await listed(), new RegExp(`^${endpointId} .* mint\\.pending `, 'm'))
    const none = { deliveries: [], next: null }
    assert.deepEqual(
      await coin.run('webhook', 'deliveries', '--endpoint', endpointId, '--failed', '--after', '7'),
      none,
    )
    assert.deepEqual(await coin.run('webhook', 'replay', '--since', '2026-01-01', '--endpoint', endpointId), {
      scheduled: 0,
    })
    const ofPartner = ['--since', '2026-01-01', '--integration', integrationId]
    assert.deepEqual(await coin.run('webhook', 'replay', ...ofPartner, '--failed', '--dry-run'), {
      scheduled: 0,
      wouldSchedule: 0,
    })
    const moved = await coin.run('webhook', 'set', endpointId, '--url', 'http://127.0.0.1:1/', '--all-events')
    assert.deepEqual([moved.endpoint.url, moved.endpoint.eventTypes], ['http://127.0.0.1:1/', null])
    assert.match(await listed(), new RegExp(`^${endpointId} .* all +http`, 'm'))
    const unreachable = await coin.cli(['webhook', 'test', endpointId])
    assert.equal(unreachable.code, 1)
    assert.equal((await coin.run('webhook', 'remove', endpointId)).endpoint.status, 'removed')
    assert.deepEqual((await coin.run('webhook', 'list', '--integration', integrationId)).endpoints, [])
  })

  it('of wallets: what is signed, the link, its end, and the freeze', async () => {
    const integrationId = await newIntegration()
    const { customerId } = await coin.run('customer', 'link', '--integration', integrationId, ...LINK)
    const address = getAddress(`0x${'9'.repeat(40)}`)
    const ofWallet = ['--customer', customerId, '--address', address]
    const asked = await coin.run('wallet', 'consent', ...ofWallet)
    assert.deepEqual(Object.keys(asked), ['typedData'])
    assert.equal(asked.typedData.primaryType, 'Link')
    const { deadline } = asked.typedData.message
    const added = await coin.run('wallet', 'add', ...ofWallet, '--consent', '0x5a5a', '--deadline', deadline)
    assert.deepEqual(Object.keys(added).sort(), ['isPrimary', 'links', 'walletAddress'])
    assert.deepEqual(coin.chain.consents.get(address), { signature: '0x5a5a', deadline: BigInt(deadline) })
    const frozen = await coin.run('wallet', 'freeze', address)
    assert.deepEqual([frozen.ok, frozen.chains[0].ok, coin.chain.frozen.has(address)], [true, true, true])
    assert.match((await coin.cli(['wallet', 'unfreeze', address])).stdout, /31337 +yes/)
    assert.equal(coin.chain.frozen.has(address), false)
    const removed = await coin.run('wallet', 'remove', ...ofWallet, '--chain', '31337').catch(() => undefined)
    assert.equal(removed, undefined)
    assert.equal((await coin.run('wallet', 'remove', ...ofWallet)).walletAddress, address)
    assert.deepEqual((await coin.run('wallet', 'list', '--customer', customerId)).wallets, [])
  })

  it('of screening', async () => {
    const address = `0x${'8'.repeat(40)}`
    assert.equal((await coin.run('screening', 'check', address)).permitted, true)
    assert.deepEqual(await coin.run('screening', 'deny', address), { address, denied: true, changed: true })
    assert.equal((await coin.run('screening', 'deny', address)).changed, false)
    assert.equal((await coin.run('screening', 'check', address)).permitted, false)
    assert.equal((await coin.run('screening', 'allow', address)).denied, false)
    coin.chain.frozen.add(address)
    const checked = await coin.run('screening', 'check', address)
    assert.deepEqual(checked.chains, [{ chainId: 31_337, frozen: true, sanctioned: false }])
    assert.equal(checked.permitted, false)
  })

  it('of chains: the exact shape that status promises', async () => {
    const done = { ok: true, chains: [{ chainId: 31_337, ok: true, txHash: null, error: null }] }
    assert.deepEqual(await coin.run('chain', 'pause'), done)
    assert.deepEqual(await coin.run('chain', 'status'), {
      ok: true,
      chains: [
        {
          chainId: 31_337,
          ok: true,
          head: 7,
          rpcUrls: ['http://127.0.0.1:1'],
          coin: COIN,
          settlement: SETTLEMENT,
          paused: true,
          settlementPaused: false,
          signers: [{ address: COIN, nonce: 3, gasBalance: '1500000000000000000', isLow: false }],
          keys: [{ name: 'pauser', address: COIN, gasBalance: '2000000000000000000', isLow: false }],
          findings: [],
          movements: [],
          lost: null,
          timelock: null,
          error: null,
        },
      ],
    })
    const { keys, signers } = coin.chain
    coin.chain.keys = [
      { name: 'pauser', address: COIN, balanceWei: 1n, neededWei: 2_000_000_000_000_000_000n, isLow: true },
    ]
    coin.chain.signers = [{ address: COIN, nonce: 3n, gasBalance: 1n, isLow: true }]
    const { stdout } = await coin.cli(['chain', 'status'])
    assert.match(stdout, /pauser +0x\w+ +gas 0\.000000 +TOO LITTLE: send it 2\.000000 or more\n/)
    assert.match(stdout, /signer +0x\w+ +nonce 3 +gas 0\.000000 +TOO LITTLE/)
    Object.assign(coin.chain, { keys, signers })
    assert.deepEqual(await coin.run('chain', 'resume', '--chain', '31337'), done)
    await coin.run('chain', 'pause', '--settlement-only')
    assert.deepEqual([coin.chain.paused, coin.chain.settlementPaused], [false, true])
    assert.match((await coin.cli(['chain', 'status'])).stdout, /chain 31337: SETTLEMENT PAUSED, head 7/)
    await coin.run('chain', 'resume', '--settlement-only')
    coin.chain.readable = false
    const unread = await coin.cli(['chain', 'status', '--json'])
    const stopped = await coin.cli(['chain', 'pause', '--json'])
    coin.chain.readable = true
    assert.deepEqual([unread.code, stopped.code], [1, 1])
    const [away] = JSON.parse(unread.stdout).chains
    assert.equal(away.head, null)
    assert.equal(JSON.parse(stopped.stdout).chains[0].ok, false)
    assert.doesNotMatch(JSON.stringify(away), /hunter2/)
    const { entries } = await coin.run('audit', 'list', '--limit', '3')
    const actions = entries.map((entry: { action: string }) => entry.action)
    assert.deepEqual(actions, ['chain.pause.begun', 'chain.resume', 'chain.resume.begun'])
  })

  it('of the bank: which setting is missing where there is none', async () => {
    const said = await Promise.all(
      [['import', import.meta.filename], ['export'], ['read-back', '--reason', 'restored']].map((command) =>
        coin.cli(['bank', ...command]),
      ),
    )
    assert.deepEqual(
      said.map(({ code, stderr }) => [code, stderr.trim()]),
      [
        [1, 'No bank account is configured here: set BANK_PROFILE and start again.'],
        [1, 'No payment files are written here: set a BANK_PROFILE with "payments", and start again.'],
        [1, 'No payment files are written here: set a BANK_PROFILE with "payments", and start again.'],
      ],
    )
  })

  it('of reconcile: exit 1 when the books differ', async () => {
    const { ok, supply, expected, differences } = await coin.run('reconcile')
    assert.deepEqual({ ok, supply, expected, differences }, { ok: true, supply: '0', expected: '0', differences: [] })
    coin.chain.supplyMicro = 1_500_000n
    const { code, stdout } = await coin.cli(['reconcile', '--json'])
    coin.chain.supplyMicro = 0n
    assert.equal(code, 1)
    const result = JSON.parse(stdout)
    assert.equal(result.ok, false)
    assert.equal(result.supply, '1.5')
    assert.equal(result.differences[0].kind, 'supply')
  })

  it('are text for people without --json', async () => {
    const integrationId = await newIntegration()
    const nasty = await coin.cli(['integration', 'create', '--name', 'Bold'])
    assert.match(nasty.stdout, /^integrationId: int_/)
    assert.match(
      (await coin.cli(['integration', 'list', '--limit', '500'])).stdout,
      new RegExp(`${integrationId}  active`),
    )
    coin.chain.findings = [{ text: 'a name with \u001b[2J in it', danger: true }]
    const { stdout } = await coin.cli(['chain', 'status'])
    coin.chain.findings = []
    assert.match(stdout, /gas 1\.500000/)
    assert.match(stdout, /^ {2}DANGER +a name with {2}\[2J in it$/m)
    assert.match((await coin.cli(['order', 'list'])).stdout, /^None\.$/m)
    assert.match((await coin.cli(['reconcile'])).stdout, /No differences/)
    assert.equal((await coin.cli(['--help'])).code, 0)
    assert.match((await coin.cli(['key', 'create', '--help'])).stdout, /--transfer-day-cap/)
  })
})

describe('a reader that has seen enough, such as head', () => {
  it('ends the command without an error', async () => {
    const program = path.join(import.meta.dirname, '../../src/operator/cli.ts')
    const child = spawn(process.execPath, [program, 'chain', 'status'], {
      env: { ...childEnvironment(), OPERATOR_URL: coin.url, OPERATOR_TOKEN: TOKEN },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: atLeast(60_000),
    })
    child.stdout.destroy()
    const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'close')])
    assert.deepEqual([code, stderr], [0, ''])
  })
})

describe('refusals', () => {
  it('exit non-zero, with a sentence on stderr and, with --json, one object on stdout', async () => {
    const cases: [args: string[], code: string, says: RegExp][] = [
      [['integration', 'show', 'int_x'], 'NOT_FOUND', /integration list/],
      [['integration', 'create'], 'USAGE', /--name/],
      [['integration', 'set', 'int_x'], 'USAGE', /--dpa-signed/],
      [['key', 'create', '--integration', 'int_x', '--scopes', 'everything'], 'BAD_REQUEST', /not a scope/],
      [['key', 'create', '--integration', 'int_x', '--scopes', 'all', '--rate-read', 'x'], 'USAGE', /whole number/],
      [['customer', 'link', '--integration', 'int_x', ...LINK, '--resident', '--non-resident'], 'USAGE', /not both/],
      [['webhook', 'rotate'], 'USAGE', /--endpoint/],
      [['order', 'show', 'nonsense'], 'USAGE', /integrationId\/referenceId/],
      [['order', 'list', '--status', 'lost'], 'BAD_REQUEST', /one of payment_pending/],
      [['payout', 'retry', 'po_x'], 'NOT_FOUND', /payout list/],
      [['audit', 'list', '--limit', '0'], 'BAD_REQUEST', /1 to 500/],
      [['nonsense'], 'USAGE', /nonsense/],
      [['key'], 'USAGE', /command/],
      [[], 'USAGE', /command/],
    ]
    for (const [args, code, says] of cases) {
      const result = await coin.cli([...args, '--json'])
      assert.notEqual(result.code, 0, args.join(' '))
      const lines = result.stdout.trimEnd().split('\n')
      assert.equal(lines.length, 1, result.stdout)
      const { ok, error } = JSON.parse(result.stdout)
      assert.deepEqual([ok, error.code], [false, code], result.stdout)
      assert.match(error.message, says)
      assert.ok(result.stderr.includes(error.message))
      const plain = await coin.cli(args)
      assert.notEqual(plain.code, 0)
      assert.equal(plain.stdout, '')
      assert.match(plain.stderr, says)
    }
  })

  it('say how to reach the service', async () => {
    const away = { OPERATOR_URL: 'http://127.0.0.1:1' }
    assert.match((await coin.cli(['audit', 'list'], away)).stderr, /http:\/\/127.0.0.1:1 does not answer.*OPERATOR_URL/)
    assert.match((await coin.cli(['audit', 'list'], { OPERATOR_TOKEN: 'wrong' })).stderr, /OPERATOR_TOKEN/)
    const { stderr } = await coin.cli(['audit', 'list'], { OPERATOR_TOKEN: '', DATA_DIR: temporaryFolder('empty') })
    assert.match(stderr, /OPERATOR_TOKEN.*operator-token/)
    assert.match((await coin.cli(['audit', 'list'], { OPERATOR_URL: 'nowhere' })).stderr, /OPERATOR_URL/)
  })

  it('never show the token', async () => {
    for (const env of [{ OPERATOR_URL: 'http://127.0.0.1:1' }, {}]) {
      const { stdout, stderr } = await coin.cli(['integration', 'show', 'x', '--json'], env)
      assert.ok(!`${stdout}${stderr}`.includes(TOKEN))
    }
  })
})

describe('settings', () => {
  it('take the token from the data folder and the port from OPERATOR_PORT', async () => {
    const dataDir = temporaryFolder('data')
    const file = path.join(dataDir, 'operator-token')
    writeFileSync(file, `${TOKEN}\n`)
    chmodSync(file, 0o600)
    const env = { OPERATOR_URL: '', OPERATOR_PORT: new URL(coin.url).port, OPERATOR_TOKEN: '', DATA_DIR: dataDir }
    const { code, stderr } = await coin.cli(['audit', 'list'], env)
    assert.equal(code, 0, stderr)
  })
})
