/**
 * What the accepting statement costs PostgreSQL: processor time of its connection's process for 1 to 64 confirmed mints at a time, with
 * one webhook endpoint. With another copy of this project, both take turns on one server, in a database each.
 *
 *   npm run bench -- statement [--against FOLDER] [--rounds 40] [--capped]
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import type { Database } from '../src/db/database.ts'
import type { NewRecord } from '../src/orders/accept/record.sql.ts'
import { startPostgresServer } from '../test/support/postgres-server.ts'
import { median } from './support/report.ts'

const { values } = parseArgs({
  options: {
    against: { type: 'string' },
    rounds: { type: 'string', default: '40' },
    capped: { type: 'boolean', default: false },
  },
})
const SIZES = [1, 4, 8, 16, 64]
const CALLS = 40
const TODAY = '2026-01-01'

type Copy = {
  name: string
  db: Database
  pid: number
  record: typeof import('../src/orders/accept/record.sql.ts').recordOrders
}

const server = await startPostgresServer({ autovacuum: 'off' })
const here = path.join(import.meta.dirname, '..')
const folders = [here, ...(values.against === undefined ? [] : [path.resolve(values.against)])]
const copies: Copy[] = []
try {
  for (const [index, folder] of folders.entries()) copies.push(await open(folder, index))
  const rows = SIZES.map((size) => ({ size, us: copies.map(() => [] as number[]) }))
  // The first turns warm up.
  for (let round = -3; round < Number(values.rounds); round += 1) {
    for (const { size, us } of rows) {
      for (const place of turnOf(round)) {
        const taken = await cpuOf(copies[place] as Copy, size)
        if (round >= 0) us[place]?.push(taken)
      }
    }
  }
  for (const { size, us } of rows) {
    const [own = [], other = []] = us
    const line = us.map(
      (list) => `${median(list).toFixed(1)} µs a statement, ${(median(list) / size).toFixed(1)} a mint`,
    )
    const ratio =
      other.length === 0 ? '' : ` · ratio ${median(own.map((taken, n) => taken / (other[n] ?? Number.NaN))).toFixed(3)}`
    console.log(`${size}: ${line.join(' · against ')}${ratio}`)
  }
} finally {
  for (const { db } of copies) await db.close()
  await server.stop()
}

/** Each begins as often as the other. */
function turnOf(round: number): number[] {
  const places = copies.map((_, place) => place)
  return round % 2 === 0 ? places : places.reverse()
}

async function open(folder: string, index: number): Promise<Copy> {
  const load = (file: string) => import(pathToFileURL(path.join(folder, 'src', file)).href)
  const { openPostgres } = (await load('db/postgres.ts')) as typeof import('../src/db/postgres.ts')
  const { migrate } = (await load('db/migrate.ts')) as typeof import('../src/db/migrate.ts')
  const { recordOrders: record } = (await load(
    'orders/accept/record.sql.ts',
  )) as typeof import('../src/orders/accept/record.sql.ts')
  const name = `copy_${index}`
  const root = await openPostgres({ url: server.url, poolSize: 1 })
  await root.query(`create database ${name}`)
  await root.close()
  const url = new URL(server.url)
  url.pathname = name
  const db = await openPostgres({ url: url.href, poolSize: 1 })
  await migrate(db)
  await db.query(`insert into integrations (integration_id, name) values ('int_0123456789abcdef01234567', 'Bench')`)
  await db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted)
     values ('we_0123456789abcdef01234567', 'int_0123456789abcdef01234567', 'https://example.com', 'sb1.s')`,
  )
  const [row] = await db.query<{ pid: number }>('select pg_backend_pid() as pid')
  return { name, db, pid: row?.pid ?? 0, record }
}

async function cpuOf({ db, pid, record }: Copy, size: number): Promise<number> {
  const before = nsOf(pid)
  for (let call = 0; call < CALLS; call += 1) {
    const written = await record(db, 'MINT', Array.from({ length: size }, newRecord), 1_000)
    if (written.some(({ lost }) => lost)) throw new Error('a mint was lost')
  }
  return (nsOf(pid) - before) / 1_000 / CALLS
}

function newRecord(): NewRecord {
  const name = randomUUID()
  const now = new Date()
  const order: NewRecord['acceptance']['order'] = {
    integrationId: 'int_0123456789abcdef01234567',
    referenceId: `ref-${name}`,
    direction: 'MINT',
    status: 'pending',
    chainId: 31_337,
    network: 'Bench',
    tokenAddress: `0x${'1'.repeat(40)}`,
    walletAddress: `0x${'2'.repeat(40)}`,
    debitAddress: null,
    customerId: 'cus_0123456789abcdef01234567',
    keyId: '0123456789abcdef',
    amountMicro: 1_000_000n,
    feeMicro: 0n,
    bankReference: null,
    batchId: null,
    batchIndex: null,
    batchStatus: null,
    txHash: null,
    blockNumber: null,
    failureReason: null,
    createdAt: now,
    updatedAt: null,
  }
  const usage = values.capped ? { owner: order.keyId, period: TODAY, capMicro: 10n ** 17n } : undefined
  const event = {
    eventId: `evt_${name.replaceAll('-', '')}`,
    type: 'mint.pending',
    referenceId: order.referenceId,
    amountMicro: order.amountMicro,
    txHash: null,
    blockNumber: null,
    happenedAt: now,
  } as const
  const call = {
    caller: { integrationId: order.integrationId, keyId: order.keyId },
    idempotencyKey: name,
    fingerprint: 'ab'.repeat(32),
  }
  return { call, acceptance: { order, usage, earmark: undefined }, event } as unknown as NewRecord
}

/** Nanoseconds that a process was on a processor. */
function nsOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0])
}
