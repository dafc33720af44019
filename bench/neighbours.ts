/** What one bad part costs all other requests: a locked customer, a silent database, made-up keys. */
import { randomBytes, randomUUID } from 'node:crypto'
import { parseArgs } from 'node:util'
import { insertCustomer } from '../src/customers/customers.sql.ts'
import { openPostgres } from '../src/db/postgres.ts'
import { startFreezable } from '../test/support/freezable.ts'
import { currentLoad, median, publish, round } from './support/report.ts'
import { type Api, type Bench, COIN, startApi, startBench } from './support/service.ts'

const { values } = parseArgs({
  options: { seconds: { type: 'string', default: '4' }, posters: { type: 'string', default: '8' } },
})
const seconds = Number(values.seconds)
const posters = Number(values.posters)

type Answered = { status: number; ms: number }

const loadBefore = currentLoad()
const bench = await startBench()
const link = await startFreezable(Number(new URL(bench.url).port))
const url = new URL(bench.url)
url.port = String(link.port)
const api = await startApi({ ...bench, url: url.href }, { poolSize: 10 })
try {
  await postFor(api, bench.customerId)
  const quiet = await postFor(api, bench.customerId)
  const { others, own } = await withLockedCustomer(bench, api)
  const keys = await askWithUnknownKeys(bench, api)
  const silent = await askSilent(api)
  publish({
    name: 'neighbours',
    title: 'What one bad part costs the others',
    method: `One API process on a PostgreSQL of its own, ${posters} callers posting confirmed mints for ${seconds} s: undisturbed; while an open transaction holds
another customer of the same integration \`for update\`; 2,000 requests with keys that nobody made, 64 at a time; and
40 reads one after the other while the database takes bytes and answers nothing.`,
    rows: [
      ['', 'requests', 'answers', 'median ms', 'longest ms'],
      row('undisturbed', quiet),
      row('another customer is locked', others),
      row('the locked customer', own),
      row('database silent: the first three', silent.slice(0, 3)),
      row('database silent: those after', silent.slice(3)),
    ],
    goal: {
      what: 'longest mint beside a locked customer ÷ longest undisturbed',
      measured: longest(others) / longest(quiet),
      bound: 10,
      atLeast: false,
    },
    notes: [`${keys.asked} requests with unknown keys cost the database ${keys.statements} statements.`],
    versions: { PostgreSQL: bench.postgresVersion },
    loadBefore,
  })
} finally {
  link.thaw()
  await api.stop()
  link.close()
  await bench.end()
}

function row(what: string, answers: readonly Answered[]): (string | number)[] {
  const counts = Map.groupBy(answers, ({ status }) => status)
  const shown = [...counts].map(([status, all]) => `${all.length} × ${status}`).join(', ')
  return [what, answers.length, shown, round(median(answers.map(({ ms }) => ms))), round(longest(answers))]
}

function longest(answers: readonly Answered[]): number {
  return Math.max(...answers.map(({ ms }) => ms))
}

async function ask(target: Api, path: string, options: { key: string; body?: object }): Promise<Answered> {
  const began = performance.now()
  const answer = await fetch(`http://127.0.0.1:${target.port}/v1${path}`, {
    headers: {
      authorization: `Bearer ${options.key}`,
      ...(options.body && { 'content-type': 'application/json', 'idempotency-key': randomUUID() }),
    },
    ...(options.body && { method: 'POST', body: JSON.stringify(options.body) }),
  })
  await answer.arrayBuffer()
  return { status: answer.status, ms: performance.now() - began }
}

function mint(target: Api, customerId: string): Promise<Answered> {
  const body = { referenceId: randomUUID(), amountMyr: '1', fiatConfirmed: true, walletAddress: COIN, customerId }
  return ask(target, '/mints', { key: bench.apiKey, body })
}

async function postFor(target: Api, customerId: string): Promise<Answered[]> {
  const answers: Answered[] = []
  const end = performance.now() + seconds * 1000
  const keepPosting = async (): Promise<void> => {
    while (performance.now() < end) answers.push(await mint(target, customerId))
  }
  await Promise.all(Array.from({ length: posters }, keepPosting))
  return answers
}

/** Somebody's open transaction holds another customer's row, and somebody mints for that customer too. */
async function withLockedCustomer({ url: direct, integrationId }: Bench, target: Api) {
  const admin = await openPostgres({ url: direct, poolSize: 1 })
  const locked = await insertCustomer(admin, integrationId, {
    accountType: 'RETAIL',
    status: 'VERIFIED',
    level: 'TIER_2',
    countryCode: 'MY',
    isResident: true,
    monthlyCapMicro: 500_000_000_000n,
    canMint: true,
    canRedeem: true,
    canTransfer: true,
    bankId: null,
  })
  const result = await admin.transaction(async (tx) => {
    await tx.query('select from customers where customer_id = $1 for update', [locked])
    const own = Promise.all(Array.from({ length: 3 }, () => mint(target, locked)))
    return { others: await postFor(target, bench.customerId), own: await own }
  })
  await admin.close()
  return result
}

/** How many statements well-formed keys cost that do not exist. */
async function askWithUnknownKeys({ db }: Bench, target: Api): Promise<{ asked: number; statements: number }> {
  const asked = 2_000
  const made = Array.from(
    { length: asked },
    () => `coin_sandbox_${randomBytes(8).toString('hex')}_${randomBytes(32).toString('base64url')}`,
  )
  const committed = async () => {
    await db.query('select pg_stat_clear_snapshot()')
    const [found] = await db.query<{ n: bigint }>(
      'select xact_commit as n from pg_stat_database where datname = current_database()',
    )
    return Number(found?.n ?? 0n)
  }
  const before = await committed()
  const work = async (): Promise<void> => {
    for (let key = made.pop(); key !== undefined; key = made.pop()) {
      const { status } = await ask(target, '/config', { key })
      if (status !== 401) throw new Error(`an unknown key was answered ${status}`)
    }
  }
  await Promise.all(Array.from({ length: 64 }, work))
  return { asked, statements: (await committed()) - before }
}

/** Reads one after another, by references that no cache can know, while the database does not answer. */
async function askSilent(target: Api): Promise<Answered[]> {
  await ask(target, `/transactions/${randomUUID()}`, { key: bench.apiKey })
  link.freeze()
  const answers: Answered[] = []
  for (let n = 0; n < 40; n += 1) {
    answers.push(await ask(target, `/transactions/${randomUUID()}`, { key: bench.apiKey }))
  }
  return answers
}
