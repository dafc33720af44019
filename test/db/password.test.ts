// engine: postgres
/** The password of a database user is replaced while a payer works: what it had begun goes on in the next one, and nobody is paid twice. */
// Runbook: Every key is replaced in turn
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { pino } from 'pino'
import { groupOf } from '../../src/db/access.sql.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { createHttpRail } from '../../src/payouts/rails/http.ts'
import { type FakeBank, startFakeBank } from '../payouts/fake-bank.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'

const user = `rotated_${randomBytes(6).toString('hex')}`
let db: TestDatabase
let server: pg.Client
let bank: FakeBank
const running: { stop(): Promise<void> }[] = []
const lines: string[] = []
const logger = pino({ level: 'debug' }, { write: (line: string) => void lines.push(line) })

before(async () => {
  ;[db, bank] = await Promise.all([createTestDatabase(), startFakeBank()])
  await seedTwoOfEverything(db)
  server = new pg.Client({ connectionString: db.url })
  await server.connect()
})
after(async () => {
  await Promise.all(running.map((each) => each.stop()))
  await bank?.close()
  await server?.end()
  await db?.close()
})

async function queue(name: string): Promise<string> {
  const order = { direction: 'REDEEM', party: 'a1', reference: `redeem-${name}`, state: 'payoutPending' } as const
  const orderId = await placeOrder(db, order)
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 10_000n }]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  return row?.payout_id ?? ''
}

function urlWith(password: string): string {
  return Object.assign(new URL(db.url ?? ''), { username: user, password }).href
}

const settings = { poolSize: 3, acquireTimeoutMs: 500, logger }
const passwords = [randomBytes(12).toString('hex'), randomBytes(12).toString('hex')] as const

/** A payer as a process has it, with a connection string of its own. */
async function startPayer(password: string) {
  const own = await openPostgres({ ...settings, url: urlWith(password) })
  const rail = createHttpRail({ url: bank.url, connector: 'bank', token: 'a-token', timeoutMs: 3_000 })
  const payer = createPayer({ db: own, rail, secrets: TEST_SECRETS, logger, pollMs: 20, tendMs: 100 })
  payer.start()
  const started = {
    async stop() {
      running.splice(running.indexOf(started), 1)
      await payer.stop()
      await own.close()
    },
  }
  running.push(started)
  return started
}

const sent = async () =>
  Number((await db.query<{ n: bigint }>(`select count(*) as n from payouts where status = 'sent'`))[0]?.n)

test('with the old password it works until its connections end, then not; with the new one nothing is lost or paid twice', async () => {
  const [old, next] = passwords
  await server.query(`create role ${user} login password '${old}' in role ${groupOf('payer')}`)
  const before_ = await startPayer(old)
  await queue('first')
  await waitFor('the first payout', async () => (await sent()) === 1)

  // The bank has this one, and its answer finds no database any more.
  bank.script.push('lose by hanging')
  await queue('asked')
  await waitFor('the bank to be asked', () => bank.requests.length === 2)
  await server.query(`alter role ${user} password '${next}'`)
  await server.query('select pg_terminate_backend(pid) from pg_stat_activity where usename = $1', [user])
  await queue('second')
  await waitFor('the payer to be refused', () => lines.some((line) => line.includes('password authentication failed')))
  assert.equal(await sent(), 1)
  await before_.stop()
  await assert.rejects(openPostgres({ ...settings, url: urlWith(old) }), /password authentication failed/)

  const after_ = await startPayer(next)
  // Its claim has ended when its process would be known to be gone.
  await db.query(`update payouts set claimed_until = null, next_attempt_at = now() where status = 'queued'`)
  await waitFor('all to be sent', async () => (await sent()) === 3)
  await after_.stop()
  assert.equal(bank.payments.size, 3)
  assert.deepEqual(bank.conflicts, [])
  assert.ok(passwords.every((password) => !lines.join('').includes(password)))
  await server.query(`drop owned by ${user}`)
  await server.query(`drop role ${user}`)
})
