// engine: postgres; only in test:long
/**
 * What changes at a live service: users of its database, keys, tokens, signers, and what the chains file says. Runbooks are typed as they
 * stand. With LIVE_NODE=edr on Hardhat's chain instead of anvil.
 */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, it } from 'node:test'
import type { Address } from 'viem'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { LISTED, ORACLE, placeOracle, say } from '../support/sanctions-oracle.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { ACCOUNT_NUMBER, blocksOfRunbook, type GoingLive, SERVICE_COMMAND, startGoingLive } from './going-live.ts'
import { type RemoteSigner, startRemoteSigner } from './remote-signer.ts'
import { goLive, type Standing, standingOf } from './standing.ts'

let live: GoingLive
let standing: Standing
let signer: RemoteSigner
before(async () => {
  live = await startGoingLive(process.env.LIVE_NODE === 'edr' ? 'edr' : 'anvil')
  standing = standingOf(live)
  await goLive(live)
  await standing.call('POST', '/mints', { referenceId: 'second-mint', amountMyr: '1000', fiatConfirmed: true })
  await standing.completed('mints', 'second-mint')
  await standing.call('POST', '/redeems', { referenceId: 'first-redeem', amountCoin: '400.25' })
  await standing.completed('redeems', 'first-redeem')
})
after(async () => {
  await signer?.close()
  await live?.close()
})

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

const ownerUrl = () => {
  const owner = { username: 'coin_owner', password: live.setting('secrets.env', 'OWNER_PASSWORD') }
  return Object.assign(new URL(live.server.url), { ...owner, pathname: '/stablecoin' }).href
}

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
    const { code, output } = await standing.refusal({ DATABASE_URL: url, COIN_ROLES: 'courier' })
    assert.equal(code, 1)
    assert.match(output, expected)
  }
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
  await standing.restart({ FOUR_EYES: 'off' })
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
  await standing.restart()
  await standing.call('POST', '/redeems', { referenceId: 'second-redeem', amountCoin: '1' })
  await standing.completed('redeems', 'second-redeem')
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
  await standing.call('POST', '/mints', { referenceId: 'waiting-mint', amountMyr: '5', fiatConfirmed: true })
  for (const block of blocksOfRunbook('A signing key was stolen')) await live.run(block)
  // Whoever runs it again is told where the role was taken.
  for (const block of blocksOfRunbook('A signing key was stolen')) await live.run(block)
  rewriteChain('chains.json', (chain) => {
    chain.signers = [{ type: 'remote', url: signer.url, address: signer.address }]
    chain.deployment.signers = [signer.address]
  })
  await standing.restart()
  assert.equal((await standing.call<{ status: string }>('GET', '/mints/waiting-mint')).status, 'pending')
  // That the stolen key has lost its role is a movement, too, which somebody has to call known.
  const seen = await waitFor('the role that was taken to be seen', async () => {
    const { chains } = await live.coin<{ chains: { movements: { movement: string }[] }[] }>('Devi', 'chain', 'status')
    return chains[0]?.movements[0]?.movement
  })
  assert.equal((await live.approved<{ ok: boolean }>('Aminah', 'Bala', 'chain', 'resume', '--known', seen)).ok, true)
  await standing.completed('mints', 'waiting-mint')
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
  await standing.restart()
  const mint = { amountMyr: '5', fiatConfirmed: true }
  await assert.rejects(
    standing.call('POST', '/mints', { ...mint, referenceId: 'listed-mint' }),
    /"code":"POLICY_REJECTED".*"reason":"wallet_denied"/,
  )
  await listed(0)
  await standing.call('POST', '/mints', { ...mint, referenceId: 'later-mint' })
  await standing.completed('mints', 'later-mint')
})

it('stops cleanly, and has revealed no secret', async () => {
  await standing.stop()
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
  const { code, output } = await standing.refusal({ ...settings, DATA_DIR, DATABASE_URL: ownerUrl() })
  assert.equal(code, 1)
  assert.match(output, /^This database belongs to a live service, and COIN_ENVIRONMENT=sandbox: .*\n$/m)
})

it('settles nothing when the chains file names another coin, answers no partner and no operator and pays nothing, and says why', async () => {
  const file = rewriteChain('wrong-coin.json', (chain) => {
    chain.coin.address = live.walletAddress
  })
  for (const role of ['api', 'payer', 'operator']) {
    const { code, output } = await standing.refusal({ CHAINS_FILE: file, COIN_ROLES: role })
    assert.equal(code, 1, output)
    assert.match(output, /^The chains file has the contracts .* for chain 777001, and this database belongs to .*\n$/m)
  }
  const settler = await live.startService(SERVICE_COMMAND, { CHAINS_FILE: file, COIN_ROLES: 'settler' })
  await waitFor('the settler to say so', () => /"level":"fatal".*correct the chains file/.test(settler.output()), {
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
