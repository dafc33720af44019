// engine: postgres
/** The audit log is sealed: whatever somebody with power over the database does to it is found. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import type { Queryable } from '../../src/db/database.ts'
import { SEALED_BOOKS } from '../../src/ledger/sealed-books.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { appendAudit } from '../../src/operator/audit.sql.ts'
import { readUnsealedSeconds, SEALED_AUDIT } from '../../src/operator/sealed-audit.sql.ts'
import { actAs } from '../../src/operators/acting.ts'
import { formatHead, type Seal } from '../../src/seals/chain.ts'
import { createSealer, sealLog } from '../../src/seals/sealer.ts'
import { verifyLog } from '../../src/seals/verify.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let db: TestDatabase
let api: OperatorFixture
let head: Seal
/** Five sealed entries, one that waits. */
let ids: bigint[]
before(async () => {
  db = await createTestDatabase()
  api = await startOperator({ db })
})
after(async () => {
  await api.close()
  await db.close()
})
beforeEach(async () => {
  await withoutGuards(db, async (tx) => {
    for (const table of ['audit_seals', 'audit_unsealed', 'audit_log']) await tx.query(`delete from ${table}`)
  })
  for (const target of ['1', '2', '3', '4', '5']) await append(target)
  head = (await sealLog(SEALED_AUDIT, db, 10)).head
  await append('6')
  ids = (await db.query<{ audit_id: bigint }>('select audit_id from audit_log order by 1')).map((row) => row.audit_id)
})

const append = (target: string) =>
  actAs({ actor: 'Aminah', origin: '10.0.0.1' }, () =>
    appendAudit(db, {
      action: 'key.set',
      target,
      details: { reason: 'a look' },
      before: { rateRead: 1 },
      after: { rateRead: 2 },
    }),
  )

async function faultAfter(work: (tx: Queryable) => Promise<unknown>, known?: Seal) {
  await withoutGuards(db, work)
  const { ok, firstBad } = await verifyLog(SEALED_AUDIT, db, { known })
  assert.equal(ok, firstBad === null)
  return firstBad
}

test('an untouched log is as it was sealed; its guards let nobody change it', async () => {
  assert.deepEqual(await verifyLog(SEALED_AUDIT, db), { ok: true, entries: 6n, head, firstBad: null })
  await sealLog(SEALED_AUDIT, db, 10)
  const verified = await verifyLog(SEALED_AUDIT, db, { known: head })
  assert.deepEqual([verified.ok, verified.head.position], [true, 6n])
  for (const table of ['audit_log', 'audit_seals']) {
    for (const change of [`delete from ${table}`, `truncate ${table}`, `update ${table} set audit_id = audit_id`]) {
      await assert.rejects(db.query(change), new RegExp(`${table} is append-only|audit_id`), change)
    }
  }
})

for (const [what, change] of [
  ['an actor', `actor = 'Bala'`],
  ['an origin', `origin = '10.0.0.2'`],
  ['an action', `action = 'key.revoke'`],
  ['a target', `target = 'x'`],
  ['a target that was taken away', `target = null`],
  ['an instant', `created_at = created_at + interval '1 microsecond'`],
  ['a detail', `details = details || '{"reason": "another"}'`],
  ['what was before', `before = '{"rateRead": 2}'`],
  ['what is afterwards', `after = null`],
] as const) {
  test(`${what} that was changed is found`, async () => {
    const id = ids[2] ?? 0n
    const fault = await faultAfter((tx) => tx.query(`update audit_log set ${change} where audit_id = $1`, [id]))
    assert.deepEqual(fault, { fault: 'entry changed or seal forged', subject: `entry ${id}` })
  })
}

test('a missing line is found, with its seal and without, and when the chain is closed up after it', async () => {
  const id = ids[2] ?? 0n
  const removed = (tx: Queryable) => tx.query('delete from audit_log where audit_id = $1', [id])
  assert.deepEqual(await faultAfter(removed), { fault: 'entry missing', subject: `entry ${id}` })
  const unsealed = (tx: Queryable) => tx.query('delete from audit_seals where audit_id = $1', [id])
  assert.deepEqual(await faultAfter(unsealed), { fault: 'seal missing', subject: 'position 3' })
  const closedUp = (tx: Queryable) => tx.query('update audit_seals set position = position - 1 where position > 3')
  assert.deepEqual(await faultAfter(closedUp), { fault: 'entry changed or seal forged', subject: `entry ${ids[3]}` })
})

test('a line that was put in past the service is found, and one whose queue was emptied', async () => {
  const inserted = (tx: Queryable) =>
    tx.query(`insert into audit_log (actor, origin, action) values ('Bala', '::1', 'key.revoke')`)
  assert.equal((await faultAfter(inserted))?.fault, 'entry inserted')
  const last = ids[5] ?? 0n
  const dequeued = async (tx: Queryable) => {
    await tx.query('delete from audit_log where audit_id > $1', [last])
    await tx.query('delete from audit_unsealed')
  }
  assert.deepEqual(await faultAfter(dequeued), { fault: 'entry inserted', subject: `entry ${last}` })
})

test('a line that was put in under a number far from all others is found, and not looked for without an end', async () => {
  for (const id of ['-5', '9223372036854775807']) {
    const inserted = (tx: Queryable) =>
      tx.query(
        `insert into audit_log (audit_id, actor, origin, action) overriding system value
         values ($1::text::bigint, 'Bala', '::1', 'key.revoke')`,
        [id],
      )
    assert.deepEqual(await faultAfter(inserted), { fault: 'entry inserted', subject: `entry ${id}` })
    await withoutGuards(db, (tx) => tx.query('delete from audit_log where audit_id = $1::text::bigint', [id]))
  }
})

test('an end that was cut off, or written anew, is found by a head from the service’s log', async () => {
  const cutOff = async (tx: Queryable) => {
    await tx.query('delete from audit_seals where position > 4')
    await tx.query('delete from audit_log where audit_id >= $1', [ids[4] ?? 0n])
    await tx.query('delete from audit_unsealed')
  }
  assert.equal(await faultAfter(cutOff), null)
  const cut = { fault: 'end cut off, or another chain', subject: 'position 5' }
  assert.deepEqual((await verifyLog(SEALED_AUDIT, db, { known: head })).firstBad, cut)
  await append('another fifth')
  await sealLog(SEALED_AUDIT, db, 10)
  assert.equal((await verifyLog(SEALED_AUDIT, db)).firstBad, null)
  assert.deepEqual((await verifyLog(SEALED_AUDIT, db, { known: head })).firstBad, cut)
})

test('two sealers make one chain', async () => {
  const rounds = await Promise.all([sealLog(SEALED_AUDIT, db, 10), sealLog(SEALED_AUDIT, db, 10)])
  assert.equal(
    rounds.reduce((total, { sealed }) => total + sealed, 0),
    1,
  )
  assert.equal((await verifyLog(SEALED_AUDIT, db, { known: head })).ok, true)
})

test('the log names each head in the words that the documents search for', async () => {
  const logged = await new Promise<{ msg: string; head: string }>((resolve) => {
    const logger = pino({ level: 'info' }, { write: (line: string) => resolve(JSON.parse(line)) })
    const sealer = createSealer(SEALED_AUDIT, { db, logger })
    sealer.start()
    after(() => sealer.stop())
  })
  assert.equal(logged.msg, 'the audit log was sealed')
  assert.equal(logged.head, formatHead((await verifyLog(SEALED_AUDIT, db)).head))
  assert.equal(SEALED_BOOKS.sentence, 'the books were sealed')
})

test('`audit verify` says so, and exits 1 when something was changed', async () => {
  const verified = await api.run('audit', 'verify', '--head', formatHead(head))
  assert.deepEqual(verified, { ok: true, entries: 6, head: formatHead(head), firstBad: null })
  assert.equal((await api.cli(['audit', 'verify', '--head', '1:2'])).code, 1)
  await withoutGuards(db, (tx) => tx.query(`update audit_log set actor = 'Bala' where audit_id = $1`, [ids[1] ?? 0n]))
  const { code, stdout } = await api.cli(['audit', 'verify', '--json'])
  assert.equal(code, 1)
  assert.deepEqual(JSON.parse(stdout).firstBad, { fault: 'entry changed or seal forged', subject: `entry ${ids[1]}` })
})

test('how long a line waits for its seal is a metric, and what waits for long is in the overview', async () => {
  const registry = createMetrics()
  registry.showAuditUnsealed(() => readUnsealedSeconds(db))
  const seconds = async () => {
    const text = await registry.registry.getSingleMetricAsString('audit_oldest_unsealed_seconds')
    return Number(/^audit_oldest_unsealed_seconds (\S+)$/m.exec(text)?.[1])
  }
  const waiting = async () => (await api.call('GET', '/overview')).body.alarms.auditUnsealed
  assert.deepEqual([(await seconds()) < 60, await waiting()], [true, 0])
  await withoutGuards(db, (tx) =>
    tx.query(`update audit_log set created_at = now() - interval '2 minutes' where target in ('1', '6')`),
  )
  assert.ok((await seconds()) >= 120)
  assert.equal(await waiting(), 1)
  await sealLog(SEALED_AUDIT, db, 10)
  assert.deepEqual([await seconds(), await waiting()], [0, 0])
})

test('whoever looks at everything has one such look at a time, however often they go, and keeps nobody else from theirs', async () => {
  const [one, two] = [await api.person('viewer'), await api.person('viewer')]
  const held = Promise.withResolvers<void>()
  const isLocked = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    // Not the seals of the audit log: what is appended to that, as by these looks, is compared with them.
    await tx.query('lock table ledger_seals in access exclusive mode')
    isLocked.resolve()
    await held.promise
  })
  await isLocked.promise
  const waiting = async (count: number) => {
    const rows = await db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock' and query like '%_seals%'`,
    )
    return rows.length >= count
  }
  /** Undefined when it has begun a look instead. */
  const answerTo = async (asked: ReturnType<typeof one.call>) => {
    let answer: Awaited<typeof asked> | undefined
    void asked.then((given) => {
      answer = given
    })
    await waitFor('an answer, or another look', async () => answer !== undefined || (await waiting(2)))
    return answer
  }
  const asked = [one.call('GET', '/ledger/verify')]
  try {
    await waitFor('the first to be under way', () => waiting(1))
    for (const path of ['/audit/verify', '/ledger/verify', '/reconcile']) {
      const answer = await answerTo(one.call('GET', path))
      assert.deepEqual([answer?.status, answer?.body.error?.code], [429, 'TOO_MANY_REQUESTS'], path)
    }
    asked.push(two.call('GET', '/ledger/verify'))
    await waitFor('the look of somebody else to be under way', () => waiting(2))
  } finally {
    held.resolve()
    await holding
  }
  assert.deepEqual(
    (await Promise.all(asked)).map(({ status }) => status),
    [200, 200],
  )
  assert.equal((await one.call('GET', '/audit/verify')).status, 200)
})
