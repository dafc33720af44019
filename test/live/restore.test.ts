// engine: postgres; only in test:long
/**
 * A restore between real processes: the database is what it was an hour ago, the chain and the bank are ahead of it. The service is
 * started as the runbook says, and nothing is minted or paid twice.
 */
// Runbook: Backup and restore
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, it } from 'node:test'
import pg from 'pg'
import { waitFor } from '../support/wait-for.ts'
import { CHAIN_ID, type GoingLive, SERVICE_COMMAND, STEPS, startGoingLive } from './going-live.ts'

const PATIENT = { timeoutMs: 120_000, everyMs: 300 }
const FUNDED = ['DEPLOYER', 'SIGNER', 'RESERVE_SIGNER', 'LINKER', 'FREEZER', 'PAUSER', 'SECOND_PAUSER', 'UNPAUSER']

let live: GoingLive

before(async () => {
  live = await startGoingLive('anvil')
  for (const { title, blocks } of STEPS) {
    if (title === 'Gas money') await live.fund(FUNDED)
    for (const block of blocks) await live.run(block)
  }
})
after(() => live?.close())

async function start(changes: Readonly<Record<string, string>> = {}): Promise<void> {
  const service = await live.startService(SERVICE_COMMAND, changes)
  const isReady = async () => !service.running() || (await fetch(`${live.operatorUrl}/readyz`)).ok
  await waitFor('readiness', isReady, PATIENT)
  assert.ok(service.running(), service.output())
}

async function stop(): Promise<void> {
  const service = live.services.findLast((each) => each.running()) ?? assert.fail()
  await service.end('SIGTERM', 60_000)
  assert.equal(await service.exited, 0)
}

/** As whoever runs the database server. */
async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: live.server.url })
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

async function call(method: string, url: string, body?: Record<string, unknown>): Promise<Record<string, unknown>> {
  const [apiKey, customerId] = await Promise.all(
    ['apiKey', 'customerId'].map((name) => live.shells.variable('The partner', name)),
  )
  const sent = { 'content-type': 'application/json', 'idempotency-key': randomUUID() }
  const response = await fetch(`${live.apiUrl}${url}`, {
    method,
    headers: { authorization: `Bearer ${apiKey}`, ...(body && sent) },
    ...(body && { body: JSON.stringify({ walletAddress: live.walletAddress, customerId, ...body }) }),
  })
  const answer = (await response.json()) as Record<string, unknown>
  assert.equal(answer.ok, true, JSON.stringify(answer))
  return answer
}

const mint = (referenceId: string, amountMyr: string) =>
  call('POST', '/mints', { referenceId, amountMyr, fiatConfirmed: true })
const redeem = (referenceId: string, amountCoin: string) => call('POST', '/redeems', { referenceId, amountCoin })
const completed = (kind: 'mints' | 'redeems', referenceId: string) =>
  waitFor(
    `${referenceId} to be completed`,
    async () => (await call('GET', `/${kind}/${referenceId}`)).status === 'completed',
    PATIENT,
  )

type Books = { ok: boolean; supply: string; expected: string; differences: { kind: string }[] }
const reconcile = () => live.coin<Books>('Devi', 'reconcile')

it('takes nobody’s money twice, and ends with books that agree', { timeout: 500_000 }, async () => {
  await mint('early-mint', '1000')
  await completed('mints', 'early-mint')
  // In the backup this redeem is pending; the chain and the bank carry it out later.
  await live.coin('Devi', 'chain', 'pause', '--settlement-only')
  await redeem('early-redeem', '100.25')
  await stop()
  await onServer('create database before_the_fire template stablecoin')

  await start()
  await live.approved('Aminah', 'Bala', 'chain', 'resume', '--settlement-only')
  await completed('redeems', 'early-redeem')
  await mint('lost-mint', '17')
  await completed('mints', 'lost-mint')
  await redeem('lost-redeem', '19')
  await completed('redeems', 'lost-redeem')
  const { supply } = await reconcile()
  assert.equal(live.bank.payments.size, 2)
  const asked = live.bank.requests.length

  // 1. Everything is stopped, and restored; then the owner prepares it, as what is set on a database itself is in no copy of it.
  await stop()
  await onServer(
    'drop database stablecoin',
    'alter database before_the_fire rename to stablecoin',
    'alter database stablecoin owner to coin_owner',
  )
  await live.type('On the machine', `DATABASE_URL='${ownerUrl()}' COIN_ENVIRONMENT=live npm run -s migrate`)
  // 2. The settler alone, until nothing holds it.
  await start({ COIN_ROLES: 'settler' })
  const heldFor = async () => {
    const metrics = await (await fetch(`${live.operatorUrl}/metrics`)).text()
    return new RegExp(`^settlement_held\\{chain="${CHAIN_ID}",reason="(.+)"\\} 1$`, 'm').exec(metrics)?.[1]
  }
  await waitFor('nothing to hold the settler', async () => (await heldFor()) === 'none', PATIENT)
  await stop()

  // 4. The others; the bank is asked about what it may have paid before it is told to pay.
  await start()
  await completed('redeems', 'early-redeem')
  // 3. What the database has lost is listed, and posted again it is what it was.
  const unexplained = async () =>
    (await live.coin<{ batches: unknown[] }>('Devi', 'batch', 'list', '--unexplained')).batches.length
  assert.ok((await unexplained()) > 0)
  await mint('lost-mint', '17')
  await redeem('lost-redeem', '19')
  await completed('mints', 'lost-mint')
  await completed('redeems', 'lost-redeem')
  assert.equal(await unexplained(), 0)

  // 5.
  const books = await reconcile()
  assert.deepEqual([books.ok, books.supply, books.differences], [true, supply, []])
  assert.equal(live.bank.payments.size, 2)
  assert.deepEqual(live.bank.conflicts, [])
  assert.equal(live.bank.requests.length, asked, 'the bank was told to pay again')
})

function ownerUrl(): string {
  const owner = { username: 'coin_owner', password: live.setting('secrets.env', 'OWNER_PASSWORD') }
  return Object.assign(new URL(live.server.url), { ...owner, pathname: '/stablecoin' }).href
}
