// engine: postgres
/**
 * docs/OPERATIONS.md "Going live", step by step: contracts by the deploy command, the database by its owner, roles on two
 * processes whose users may do no more than they need, operators' commands.
 * With LIVE_NODE=edr on Hardhat's chain instead of anvil.
 */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Hex, numberToHex } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { type FakeBank, startFakeBank } from '../payouts/fake-bank.ts'
import { startAnvil } from '../support/anvil.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { startEdr } from '../support/edr.ts'
import { type GuardedProcess, startGuarded } from '../support/guarded-process.ts'
import { createLogins, type Logins } from '../support/logins.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { type RemoteSigner, startRemoteSigner } from './remote-signer.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const CHAIN_ID = 777_001
const OPERATOR_TOKEN = randomBytes(24).toString('hex')
const PAYOUT_TOKEN = randomBytes(24).toString('hex')

/** The roles of its two processes. */
const FLEET = ['api,operator', 'settler,payer,courier'] as const

const newKey = (): Hex => `0x${randomBytes(32).toString('hex')}`
const keys = {
  deployer: newKey(),
  proposer: newKey(),
  signer: newKey(),
  limiter: newKey(),
  linker: newKey(),
  freezer: newKey(),
  pauser: newKey(),
  secondPauser: newKey(),
  unpauser: newKey(),
}
const address = (name: keyof typeof keys) => privateKeyToAddress(keys[name])
const holder = privateKeyToAccount(newKey())
const wallet = holder.address

type TypedData = { message: { deadline: string } }
type Order = { status: string; phase: string }
type Deployed = { coin: string; settlement: string; deployment: object }

describe('a live service', () => {
  let node: { rpcUrl: string; stop(): Promise<void> }
  let db: TestDatabase
  let logins: Logins
  let bank: FakeBank
  let signer: RemoteSigner
  let env: Record<string, string>
  let processes: GuardedProcess[] = []
  let baseUrl: string
  let operatorUrl: string
  let apiKey: string
  let deployed: Deployed
  let customerId: string
  const folder = temporaryFolder('live')

  before(async () => {
    const chainId = CHAIN_ID
    node =
      process.env.LIVE_NODE === 'edr' ? await startEdr({ chainId }) : await startAnvil({ chainId, blockTimeSeconds: 1 })
    db = await createTestDatabase({ migrated: false })
    bank = await startFakeBank()
    signer = await startRemoteSigner(keys.signer)
    for (const key of Object.values(keys)) {
      await rpc(node.rpcUrl, 'hardhat_setBalance', [privateKeyToAddress(key), numberToHex(10n ** 20n)])
    }
  })
  after(async () => {
    await Promise.all(processes.map((one) => one.end('SIGTERM')))
    await Promise.all([bank.close(), signer.close(), node.stop()])
    await db.close()
    await logins?.drop()
  })

  /** Runs a program to its end and returns its standard output and errors. */
  async function run(program: string, args: string[], settings: Record<string, string>) {
    const started = await startGuarded(process.execPath, [path.join(ROOT, program), ...args], {
      env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...settings },
      cwd: ROOT,
    })
    await waitFor(`${program} to end`, () => !started.running(), { timeoutMs: 60_000 })
    return { code: await started.exited, output: started.output() }
  }

  /** A command in one person's name. */
  const runAs = (token: string, ...args: string[]) =>
    run('src/operator/cli.ts', [...args, '--json'], { OPERATOR_URL: operatorUrl, OPERATOR_TOKEN: token })

  /** Two people of each role. */
  const tokens = new Map<string, [string, string]>()

  /** A command of somebody with that role; what has to wait is approved by the other one. */
  async function coinAs<T>(role: string, ...args: string[]): Promise<T> {
    const [one, two] = tokens.get(role) ?? ['', '']
    let { code, output } = await runAs(one, ...args)
    if (code === 3) {
      const { approvalId } = JSON.parse(output) as { approvalId: string }
      assert.equal((await runAs(one, 'approval', 'approve', approvalId)).code, 1)
      assert.equal((await runAs(two, 'approval', 'approve', approvalId)).code, 0)
      ;({ code, output } = await runAs(one, ...args, '--approval', approvalId))
    }
    assert.equal(code, 0, output)
    return JSON.parse(output) as T
  }
  const coin = <T>(...args: string[]) => coinAs<T>('onboarding', ...args)

  async function start(roles: string): Promise<{ baseUrl: string; operatorUrl: string }> {
    const started = await startGuarded(process.execPath, [path.join(ROOT, 'src/main.ts')], {
      env: { ...env, DATABASE_URL: logins.urlOf(roles), COIN_ROLES: roles, PORT: '0', OPERATOR_PORT: '0' },
      cwd: ROOT,
      orphanSignal: 'TERM',
    })
    processes.push(started)
    const portOf = (name: string) =>
      new RegExp(`"port":(\\d+),"msg":"(?:${name}) listening"`).exec(started.output())?.[1]
    const onOperatorPort = 'operator API|probes and metrics'
    const listens = () =>
      portOf(onOperatorPort) !== undefined && (!roles.includes('api') || portOf('partner API') !== undefined)
    await waitFor('the process to listen', () => !started.running() || listens(), { timeoutMs: 60_000 })
    assert.ok(started.running(), started.output())
    return {
      baseUrl: `http://127.0.0.1:${portOf('partner API')}/v1`,
      operatorUrl: `http://127.0.0.1:${portOf(onOperatorPort)}`,
    }
  }

  async function call<T>(method: string, url: string, body?: Record<string, unknown>): Promise<T> {
    const response = await fetch(`${baseUrl}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const answer = (await response.json()) as T & { ok: boolean }
    assert.ok(answer.ok, JSON.stringify(answer))
    return answer
  }

  async function followed(kind: 'mints' | 'redeems', body: Record<string, unknown>): Promise<void> {
    const referenceId = `live-${randomUUID()}`
    await call('POST', `/${kind}`, { referenceId, walletAddress: wallet, customerId, ...body })
    await waitFor(
      `the order in ${kind} to be completed`,
      async () => (await call<Order>('GET', `/${kind}/${referenceId}`)).status === 'completed',
      { timeoutMs: 40_000, everyMs: 700 },
    )
  }

  it('gets its contracts from the deploy command', async () => {
    const { code, output } = await run('contracts/tools/deploy.ts', [], {
      RPC_URL: node.rpcUrl,
      CHAIN_ID: String(CHAIN_ID),
      DEPLOYER_PRIVATE_KEY: keys.deployer,
      TIMELOCK_PROPOSERS: address('proposer'),
      SIGNER_ADDRESSES: signer.address,
      LIMITER_ADDRESSES: address('limiter'),
      LINKER_ADDRESSES: address('linker'),
      FREEZER_ADDRESSES: address('freezer'),
      PAUSER_ADDRESSES: [address('pauser'), address('secondPauser')].join(','),
      UNPAUSER_ADDRESSES: address('unpauser'),
      TOKEN_NAME: 'Ringgit Coin',
      TOKEN_SYMBOL: 'COIN',
      ...{ MINT_CAPACITY: '1000000', MINT_REFILL_PER_SECOND: '1000' },
      ...{ MINT_CEILING_REFILL_PER_SECOND: '1000', MAX_REFILL_PER_SECOND: '1000' },
      DEPLOYMENTS_DIR: path.join(folder, 'deployments'),
    })
    assert.equal(code, 0, output)
    deployed = JSON.parse(output) as Deployed
    const chainsFile = path.join(folder, 'chains.json')
    writeFileSync(chainsFile, JSON.stringify({ chains: [chainEntry(deployed)] }))
    env = {
      PATH: process.env.PATH ?? '',
      COIN_ENVIRONMENT: 'live',
      MINT_CEILING: '1000000',
      MINT_DAY_CAP: '5000000',
      DATABASE_URL: db.url ?? '',
      CHAINS_FILE: chainsFile,
      OPERATOR_TOKEN,
      SECRETS_KEY: randomBytes(32).toString('hex'),
      RESERVES_SIGNING_KEY: randomBytes(32).toString('hex'),
      PAYOUT_RAIL: 'http',
      PAYOUT_URL: bank.url,
      PAYOUT_TOKEN,
      RPC_TWO: node.rpcUrl.replace('127.0.0.1', 'localhost'),
      LINKER_KEY: keys.linker,
      FREEZER_KEY: keys.freezer,
      PAUSER_KEY: keys.pauser,
      UNPAUSER_KEY: keys.unpauser,
    }
  })

  function chainEntry({ coin: address, settlement, deployment }: Deployed) {
    return {
      key: 'live-test',
      name: 'Live test',
      chainId: CHAIN_ID,
      nativeCurrency: { name: 'Ether', symbol: 'ETH' },
      explorer: { baseUrl: 'https://explorer.example' },
      confirmations: 2,
      rpcUrls: [node.rpcUrl, { env: 'RPC_TWO' }],
      quorum: 2,
      pollIntervalMs: 200,
      maxFeePerGasGwei: 1000,
      coin: { address, name: 'Ringgit Coin', symbol: 'COIN' },
      settlement,
      signers: [{ type: 'remote', url: signer.url, address: signer.address }],
      linker: { type: 'key', privateKeyEnv: 'LINKER_KEY' },
      freezer: { type: 'key', privateKeyEnv: 'FREEZER_KEY' },
      pauser: { type: 'key', privateKeyEnv: 'PAUSER_KEY' },
      unpauser: { type: 'key', privateKeyEnv: 'UNPAUSER_KEY' },
      deployment,
    }
  }

  it('has its database prepared by the owner, and users for its processes', async () => {
    logins = await createLogins(db.url ?? '', [...FLEET, 'settler'], { COIN_ENVIRONMENT: 'live' })
  })

  it('refuses users that may do too much or too little', async () => {
    for (const [url, expected] of [
      [db.url ?? '', /^live refuses a DATABASE_URL whose user is a superuser: run `npm run migrate` as that user/m],
      [logins.ownerUrl, /^live refuses a DATABASE_URL whose user owns the tables: run `npm run migrate` as that user/m],
      [logins.urlOf('api,operator'), /is not a member of stablecoin_courier: /m],
    ] as const) {
      const settings = { ...env, DATABASE_URL: url, COIN_ROLES: 'courier', PORT: '0', OPERATOR_PORT: '0' }
      const { code, output } = await run('src/main.ts', [], settings)
      assert.equal(code, 1)
      assert.match(output, expected)
    }
  })

  it('starts its roles on two processes at once, on a new database', async () => {
    const [front] = await Promise.all([start(FLEET[0]), start(FLEET[1])])
    baseUrl = front.baseUrl
    operatorUrl = front.operatorUrl
    const ready = await waitFor('readiness', async () => {
      const response = await fetch(`${operatorUrl}/readyz`)
      return response.ok ? response : undefined
    })
    assert.equal(ready.status, 200)
  })

  it('lets two admins in, who let in the others; then OPERATOR_TOKEN has ended', async () => {
    const added = async (token: string, role: string, name: string) => {
      const first = await runAs(token, 'operator', 'add', '--name', name, '--role', role)
      return JSON.parse(first.output) as { token?: string; approvalId?: string }
    }
    assert.ok((await added(OPERATOR_TOKEN, 'onboarding', 'Nobody')).approvalId, 'only the first admins wait for nobody')
    const admins = [await added(OPERATOR_TOKEN, 'admin', 'Aminah'), await added(OPERATOR_TOKEN, 'admin', 'Bala')]
    const [one = '', two = ''] = admins.map(({ token = '' }) => token)
    for (const token of [one, two]) assert.equal((await runAs(token, 'whoami')).code, 0)
    assert.equal((await runAs(OPERATOR_TOKEN, 'whoami')).code, 1)
    tokens.set('admin', [one, two])
    for (const role of ['onboarding', 'compliance']) {
      const person = (name: string) =>
        coinAs<{ token: string }>('admin', 'operator', 'add', '--name', name, '--role', role)
      tokens.set(role, [(await person(`${role} one`)).token, (await person(`${role} two`)).token])
    }
  })

  it('shows its chain and signer to operators', async () => {
    const { ok, chains } = await coin<{ ok: boolean; chains: Record<string, unknown>[] }>('chain', 'status')
    assert.equal(ok, true)
    assert.equal(chains[0]?.chainId, CHAIN_ID)
    assert.deepEqual(chains[0]?.findings, [])
    assert.equal(chains[0]?.paused, false)
    assert.match(JSON.stringify(chains[0]?.signers), new RegExp(signer.address))
  })

  it('onboards a partner and a customer', async () => {
    const { integrationId } = await coin<{ integrationId: string }>('integration', 'create', '--name', 'Acme')
    const key = await coin<{ apiKey: string }>('key', 'create', '--integration', integrationId, '--scopes', 'all')
    assert.match(key.apiKey, /^coin_live_/)
    apiKey = key.apiKey
    const [token = ''] = tokens.get('onboarding') ?? []
    const link = [
      ...['customer', 'link', '--integration', integrationId, '--type', 'RETAIL', '--status', 'VERIFIED'],
      ...['--level', 'TIER_2', '--country', 'MY'],
      ...['--bank-bic', 'MBBEMYKL', '--bank-account', '-', '--bank-name', 'Aminah', '--json'],
    ]
    const linked = execFileSync(process.execPath, [path.join(ROOT, 'src/operator/cli.ts'), ...link], {
      env: { PATH: process.env.PATH, OPERATOR_URL: operatorUrl, OPERATOR_TOKEN: token },
      input: '512345678901\n',
      encoding: 'utf8',
    })
    customerId = (JSON.parse(linked) as { customerId: string }).customerId
  })

  it("links the customer's wallet with its holder's consent", async () => {
    const ofWallet = ['--customer', customerId, '--address', wallet]
    const { typedData } = await coin<{ typedData: TypedData }>('wallet', 'consent', ...ofWallet)
    const consent = await holder.signTypedData(typedData as unknown as Parameters<typeof holder.signTypedData>[0])
    const consented = ['--consent', consent, '--deadline', typedData.message.deadline]
    const added = await coin<{ walletAddress: string }>('wallet', 'add', ...ofWallet, ...consented)
    assert.equal(added.walletAddress, wallet)
  })

  it('mints through the remote signer, and redeems to the bank', async () => {
    await followed('mints', { amountMyr: '1000', fiatConfirmed: true })
    await followed('redeems', { amountCoin: '400.25' })
    assert.ok(signer.signed() >= 2)
    assert.equal(bank.payments.size, 1)
    const [request] = bank.requests
    assert.equal(request?.authorization, `Bearer ${PAYOUT_TOKEN}`)
    assert.match(request?.body ?? '', /"amount":"400\.25"/)
  })

  it('proves that supply equals orders', async () => {
    const { ok, supply, expected } = await coin<{ ok: boolean; supply: string; expected: string }>('reconcile')
    assert.deepEqual({ ok, supply, expected }, { ok: true, supply: '599.75', expected: '599.75' })
  })

  it('stops and resumes the coin, and freezes a wallet, with the keys of its chains file', async () => {
    const stopped = async () => (await coin<{ chains: { paused: boolean }[] }>('chain', 'status')).chains[0]?.paused
    assert.equal((await coin<{ ok: boolean }>('chain', 'pause')).ok, true)
    assert.equal(await stopped(), true)
    assert.equal((await coinAs<{ ok: boolean }>('compliance', 'chain', 'resume')).ok, true)
    assert.equal(await stopped(), false)
    assert.equal((await coin<{ ok: boolean }>('wallet', 'freeze', wallet)).ok, true)
    assert.equal((await coin<{ permitted: boolean }>('screening', 'check', wallet)).permitted, false)
    assert.equal((await coinAs<{ ok: boolean }>('compliance', 'wallet', 'unfreeze', wallet)).ok, true)
  })

  it('stops cleanly, and has revealed no secret', async () => {
    await Promise.all(processes.map((one) => one.end('SIGTERM')))
    assert.deepEqual(await Promise.all(processes.map((one) => one.exited)), [0, 0])
    const told = processes.map((one) => one.output()).join('\n')
    const password = new URL(logins.urlOf(FLEET[0])).password
    const secrets = [OPERATOR_TOKEN, PAYOUT_TOKEN, env.SECRETS_KEY, apiKey, password, ...Object.values(keys)]
    for (const secret of secrets) assert.ok(secret !== undefined && !told.includes(secret.replace(/^0x/, '')))
    processes = []
  })

  it('gives its database to no sandbox', async () => {
    const settings = { COIN_ENVIRONMENT: 'sandbox', PORT: '0', OPERATOR_PORT: '0', WEBHOOK_ALLOW_LOOPBACK: 'false' }
    const { code, output } = await run('src/main.ts', [], { ...env, ...settings, DATABASE_URL: logins.ownerUrl })
    assert.equal(code, 1)
    assert.match(output, /^This database belongs to a live service, and COIN_ENVIRONMENT=sandbox: .*\n$/)
  })

  it('settles nothing when the chains file names another coin, and says why', async () => {
    const file = path.join(folder, 'wrong-coin.json')
    writeFileSync(file, JSON.stringify({ chains: [chainEntry({ ...deployed, coin: wallet })] }))
    env = { ...env, CHAINS_FILE: file }
    const { operatorUrl } = await start('settler')
    const [settler] = processes
    await waitFor('the settler to say so', () => /"level":"fatal".*configured is/.test(settler?.output() ?? ''))
    const metrics = await (await fetch(`${operatorUrl}/metrics`)).text()
    assert.match(metrics, /^settlement_held\{chain="777001",reason="chain-mismatch"\} 1$/m)
  })
})
