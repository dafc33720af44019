// engine: postgres
/**
 * docs/GOING-LIVE.md is typed as it stands, from an empty machine to the first mint; then what else a live
 * service does. With LIVE_NODE=edr on Hardhat's chain instead of anvil.
 */
import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Address } from 'viem'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { LISTED, ORACLE, placeOracle, say } from '../support/sanctions-oracle.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import {
  ACCOUNT_NUMBER,
  blocksOfRunbook,
  type GoingLive,
  SERVICE_COMMAND,
  STEPS,
  startGoingLive,
} from './going-live.ts'
import { type RemoteSigner, startRemoteSigner } from './remote-signer.ts'

let live: GoingLive

before(async () => {
  live = await startGoingLive(process.env.LIVE_NODE === 'edr' ? 'edr' : 'anvil')
})
after(() => live?.close())

/** What is done by hand between commands, by the step that asks for it. */
const BY_HAND: Readonly<Record<string, () => Promise<void>>> = {
  'Gas money': () =>
    live.fund([
      ...['DEPLOYER', 'SIGNER', 'RESERVE_SIGNER', 'LINKER', 'FREEZER', 'PAUSER', 'SECOND_PAUSER', 'UNPAUSER'],
    ]),
}

describe('docs/GOING-LIVE.md, from an empty machine to the first mint', () => {
  for (const { title, blocks } of STEPS) {
    it(title, async () => {
      await BY_HAND[title]?.()
      for (const block of blocks) await live.run(block)
    })
  }

  it('ends with books that agree, and an audit log that names everybody', async () => {
    const said = await live.type('Aminah', 'coin reconcile; coin audit verify')
    assert.match(said, /No differences/)
    const people = ['Aminah binti Ali', 'Bala Krishnan', 'Chong Mei Ling', 'Devi Nair']
    const actsOf = async (name: string) => {
      const { entries } = await live.coin<{ entries: { action: string; actor: string }[] }>(
        'Aminah',
        'audit',
        'list',
        '--actor',
        name,
      )
      assert.ok(entries.every(({ actor }) => actor === name))
      return entries.map(({ action }) => action)
    }
    const acts = await Promise.all(people.map(actsOf))
    assert.deepEqual(
      people.filter((_, index) => acts[index]?.length === 0),
      [],
    )
    // Whoever asked is not who approved.
    assert.ok(
      acts[2]?.includes('wallet.add') &&
        acts[3]?.includes('approval.approve') &&
        !acts[2]?.includes('approval.approve'),
    )
  })

  it('leaves nothing of this test unused', () => {
    assert.deepEqual(
      Object.keys(live.given).filter((name) => !live.used.has(name)),
      [],
    )
    for (const title of Object.keys(BY_HAND))
      assert.ok(
        STEPS.some((step) => step.title === title),
        title,
      )
  })
})

describe('the live service that stands there now', () => {
  let signer: RemoteSigner
  after(() => signer?.close())

  /** Runs the program to its end with the settings, some of them changed. */
  async function refusal(changes: Readonly<Record<string, string>>) {
    const started = await live.startService(SERVICE_COMMAND, { PORT: '0', OPERATOR_PORT: '0', ...changes })
    await waitFor('the process to end', () => !started.running(), { timeoutMs: atLeast(60_000) })
    return { code: await started.exited, output: started.output() }
  }

  const restart = async (changes: Readonly<Record<string, string>> = {}) => {
    await stop()
    const service = await live.startService(SERVICE_COMMAND, changes)
    const isReady = async () => !service.running() || (await fetch(`${live.operatorUrl}/readyz`)).ok
    await waitFor('readiness', isReady, { timeoutMs: atLeast(90_000), everyMs: 200 })
    assert.ok(service.running(), service.output())
  }
  const stop = async () => {
    const service = running()
    await service.end('SIGTERM')
    assert.equal(await service.exited, 0)
  }
  const running = () => live.services.findLast((each) => each.running()) ?? assert.fail()

  type ChainEntry = {
    coin: { address: string }
    signers: object[]
    deployment: { signers: string[] }
    sanctionsOracle?: string
  }

  /** @returns the path of the chains file with that change */
  function rewriteChain(name: string, change: (chain: ChainEntry) => void): string {
    const file = JSON.parse(readFileSync(path.join(live.folder, 'chains.json'), 'utf8')) as { chains: [ChainEntry] }
    change(file.chains[0])
    writeFileSync(path.join(live.folder, name), JSON.stringify(file))
    return path.join(live.folder, name)
  }

  async function call<T>(method: string, url: string, body?: Record<string, unknown>): Promise<T> {
    const [apiKey, customerId] = await Promise.all(
      ['apiKey', 'customerId'].map((name) => live.shells.variable('The partner', name)),
    )
    const response = await fetch(`${live.apiUrl}${url}`, {
      method,
      headers: {
        authorization: `Bearer ${apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
      },
      ...(body === undefined
        ? {}
        : { body: JSON.stringify({ walletAddress: live.walletAddress, customerId, ...body }) }),
    })
    const answer = (await response.json()) as T & { ok: boolean }
    assert.ok(answer.ok, JSON.stringify(answer))
    return answer
  }

  const completed = (kind: 'mints' | 'redeems', referenceId: string) =>
    waitFor(
      `the order in ${kind} to be completed`,
      async () => (await call<{ status: string }>('GET', `/${kind}/${referenceId}`)).status === 'completed',
      { timeoutMs: atLeast(60_000), everyMs: 500 },
    )

  it('refuses users that may do too much or too little', async () => {
    await live.type(
      'On the machine',
      `psql -v ON_ERROR_STOP=1 -d stablecoin <<END\ncreate role coin_api login password 'short' in role stablecoin_api;\ngrant connect on database stablecoin to coin_api;\nEND\n`,
    )
    const urlOf = (user: string, password: string) => {
      const url = new URL(live.server.url)
      return Object.assign(url, { username: user, password, pathname: '/stablecoin' }).href
    }
    const { username, password } = new URL(live.server.url)
    for (const [url, expected] of [
      [
        urlOf(username, password),
        /^live refuses a DATABASE_URL whose user is a superuser: run `npm run migrate` as that user/m,
      ],
      [ownerUrl(), /^live refuses a DATABASE_URL whose user owns the tables: run `npm run migrate` as that user/m],
      [urlOf('coin_api', 'short'), /is not a member of stablecoin_courier: /m],
    ] as const) {
      const { code, output } = await refusal({ DATABASE_URL: url, COIN_ROLES: 'courier' })
      assert.equal(code, 1)
      assert.match(output, expected)
    }
  })

  const ownerUrl = () => {
    const owner = { username: 'coin_owner', password: live.setting('secrets.env', 'OWNER_PASSWORD') }
    return Object.assign(new URL(live.server.url), { ...owner, pathname: '/stablecoin' }).href
  }

  it('lets nobody in with the first token, which its process still has', async () => {
    assert.equal(live.setting('service.env', 'OPERATOR_TOKEN'), '')
    const said = await live.coin<{ error: { code: string } }>('On the machine', 'whoami')
    assert.equal(said.error.code, 'UNAUTHORIZED')
  })

  it('redeems to the bank', async () => {
    await call('POST', '/mints', { referenceId: 'second-mint', amountMyr: '1000', fiatConfirmed: true })
    await completed('mints', 'second-mint')
    await call('POST', '/redeems', { referenceId: 'first-redeem', amountCoin: '400.25' })
    await completed('redeems', 'first-redeem')
    assert.equal(live.bank.payments.size, 1)
    const [request] = live.bank.requests
    assert.equal(request?.authorization, `Bearer ${live.setting('secrets.env', 'PAYOUT_TOKEN')}`)
    assert.match(request?.body ?? '', /"amount":"400\.25"/)
    assert.match(request?.body ?? '', new RegExp(ACCOUNT_NUMBER))
  })

  it('freezes a wallet, and lets it go when two agree', async () => {
    for (const name of ['Esther', 'Faisal']) await live.hire(name, 'compliance')
    assert.equal((await live.coin<{ ok: boolean }>('Devi', 'wallet', 'freeze', live.walletAddress)).ok, true)
    const permitted = () => live.coin<{ permitted: boolean }>('Devi', 'screening', 'check', live.walletAddress)
    assert.equal((await permitted()).permitted, false)
    const freed = await live.approved<{ ok: boolean }>('Esther', 'Faisal', 'wallet', 'unfreeze', live.walletAddress)
    assert.deepEqual([freed.ok, (await permitted()).permitted], [true, true])
  })

  it('takes new keys and tokens beside what the old ones have closed (runbook: Every key is replaced in turn)', async () => {
    const file = path.join(live.folder, 'service.env')
    const before = readFileSync(file, 'utf8')
    const next: Record<string, string> = {}
    for (const name of ['SECRETS_KEY', 'PAYOUT_TOKEN', 'RESERVES_SIGNING_KEY'])
      next[name] = randomBytes(32).toString('hex')
    const lines = Object.entries(next).map(([name, value]) => `${name}=${value}\n`)
    writeFileSync(path.join(live.folder, 'new.env'), lines.join(''))
    const after = before.replace(/^(SECRETS_KEY|PAYOUT_TOKEN|RESERVES_SIGNING_KEY)=.*\n/gm, '') + lines.join('')
    writeFileSync(file, `${after}SECRETS_KEY_PREVIOUS=${live.setting('secrets.env', 'SECRETS_KEY')}\n`)
    await restart({ FOUR_EYES: 'off' })
    const { entries } = await live.coin<{ entries: { action: string }[] }>(
      'Aminah',
      'audit',
      'list',
      '--actor',
      'service',
    )
    assert.ok(entries.some(({ action }) => action === 'service.without-four-eyes'))
    const reseal = async () => (await live.coin<{ resealed: number }>('Aminah', 'secrets', 'reseal')).resealed
    assert.ok((await reseal()) > 2)
    assert.equal(await reseal(), 0)
    // From the next start on, without the old one.
    writeFileSync(file, after)
    await restart()
    await call('POST', '/redeems', { referenceId: 'second-redeem', amountCoin: '1' })
    await completed('redeems', 'second-redeem')
    const request = live.bank.requests.at(-1)
    assert.equal(request?.authorization, `Bearer ${next.PAYOUT_TOKEN}`)
    assert.match(request?.body ?? '', new RegExp(ACCOUNT_NUMBER))
  })

  it('lets an admin in from the machine alone (runbook: All admins have lost their tokens)', async () => {
    for (const block of blocksOfRunbook('All admins have lost their tokens')) await live.run(block)
    const { entries } = await live.coin<{ entries: { action: string; origin: string }[] }>('Devi', 'audit', 'list')
    assert.match(entries.find(({ action }) => action === 'operator.break-glass')?.origin ?? '', /@/)
  })

  it('goes on with a remote signer in reserve when a signing key was stolen (runbook: A signing key was stolen)', async () => {
    signer = await startRemoteSigner(live.keyOf('RESERVE_SIGNER'))
    assert.equal((await live.coin<{ ok: boolean }>('Devi', 'chain', 'pause')).ok, true)
    await call('POST', '/mints', { referenceId: 'waiting-mint', amountMyr: '5', fiatConfirmed: true })
    for (const block of blocksOfRunbook('A signing key was stolen')) await live.run(block)
    const again = blocksOfRunbook('A signing key was stolen').map((block) => live.run(block).catch(String))
    assert.match((await Promise.all(again)).join(), /is no signer of 0x\w+: is it the other contract\?/)
    rewriteChain('chains.json', (chain) => {
      chain.signers = [{ type: 'remote', url: signer.url, address: signer.address }]
      chain.deployment.signers = [signer.address]
    })
    await restart()
    assert.equal((await call<{ status: string }>('GET', '/mints/waiting-mint')).status, 'pending')
    assert.equal((await live.approved<{ ok: boolean }>('Aminah', 'Bala', 'chain', 'resume')).ok, true)
    await completed('mints', 'waiting-mint')
    assert.equal(signer.signed(), 1)
    const status = await live.coin<{ ok: boolean; chains: { findings: unknown[]; signers: { address: string }[] }[] }>(
      'Devi',
      'chain',
      'status',
    )
    assert.deepEqual(
      [status.ok, status.chains[0]?.findings, status.chains[0]?.signers.map(({ address }) => address)],
      [true, [], [signer.address]],
    )
    const { ok, supply, expected } = await live.coin<{ ok: boolean; supply: string; expected: string }>(
      'Devi',
      'reconcile',
    )
    assert.deepEqual({ ok, supply, expected }, { ok: true, supply: '604.75', expected: '604.75' })
  })

  it('asks the sanctions oracle of the chains file about a wallet before it accepts a mint', async () => {
    const ask = (method: string, ...params: unknown[]) => rpc(live.node.rpcUrl, method, params)
    const listed = (word: number) => say(ask, live.walletAddress as Address, word)
    await placeOracle(ask)
    await listed(LISTED)
    rewriteChain('chains.json', (chain) => {
      chain.sanctionsOracle = ORACLE
    })
    await restart()
    const mint = { amountMyr: '5', fiatConfirmed: true }
    await assert.rejects(
      call('POST', '/mints', { ...mint, referenceId: 'listed-mint' }),
      /"code":"POLICY_REJECTED".*"reason":"wallet_denied"/,
    )
    await listed(0)
    await call('POST', '/mints', { ...mint, referenceId: 'later-mint' })
    await completed('mints', 'later-mint')
  })

  it('stops cleanly, and has revealed no secret', async () => {
    await stop()
    const told = live.services.map((one) => one.output()).join('\n')
    const files = ['keys.env', 'secrets.env', 'new.env']
      .map((file) => readFileSync(path.join(live.folder, file), 'utf8'))
      .join('\n')
    const secrets = [...files.matchAll(/^\w+_(?:KEY|TOKEN|PASSWORD)=(?:0x)?(.+)$/gm)].map(([, secret = '']) => secret)
    assert.ok(secrets.length > 12)
    for (const secret of [...secrets, await live.shells.variable('The partner', 'apiKey')])
      assert.ok(!told.includes(secret))
  })

  it('gives its database to no sandbox', async () => {
    const settings = { COIN_ENVIRONMENT: 'sandbox', WEBHOOK_ALLOW_LOOPBACK: 'false' }
    const DATA_DIR = path.join(live.folder, 'sandbox')
    const { code, output } = await refusal({ ...settings, DATA_DIR, DATABASE_URL: ownerUrl() })
    assert.equal(code, 1)
    assert.match(output, /^This database belongs to a live service, and COIN_ENVIRONMENT=sandbox: .*\n$/m)
  })

  it('settles nothing when the chains file names another coin, answers no partner and pays nothing, and says why', async () => {
    const file = rewriteChain('wrong-coin.json', (chain) => {
      chain.coin.address = live.walletAddress
    })
    for (const role of ['api', 'payer']) {
      const { code, output } = await refusal({ CHAINS_FILE: file, COIN_ROLES: role })
      assert.equal(code, 1, output)
      assert.match(output, /^Chain 777001 is configured with the contracts .*, this database belongs to .*\n$/m)
    }
    const settler = await live.startService(SERVICE_COMMAND, { CHAINS_FILE: file, COIN_ROLES: 'settler' })
    await waitFor('the settler to say so', () => /"level":"fatal".*configured is/.test(settler.output()), {
      timeoutMs: atLeast(90_000),
    })
    // Its user is in the groups of all roles.
    assert.match(
      settler.output(),
      /"groups":\["stablecoin_api","stablecoin_courier",.*may do more than this process needs/,
    )
    await waitFor(
      'the alarm',
      async () => {
        const metrics = await (await fetch(`${live.operatorUrl}/metrics`)).text()
        return /^settlement_held\{chain="777001",reason="chain-mismatch"\} 1$/m.test(metrics)
      },
      { timeoutMs: atLeast(60_000) },
    )
  })
})
