/** Leases by the database's clock: two names, two holders, and what each may still do after the lease has expired. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../test/support/database.ts'
import {
  acquireLease,
  endAllLeases,
  isHeldByAnother,
  type Lease,
  LeaseLostError,
  releaseLease,
  renewLease,
  underLease,
} from './leases.sql.ts'

const HOUR_MS = 3_600_000

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())
beforeEach(() => db.query('delete from leases'))

async function held(name: string, holder: string): Promise<Lease> {
  const lease = await acquireLease(db, name, holder, HOUR_MS)
  assert.ok(lease !== undefined)
  return lease
}

/** Name → holder, token and how many minutes are left (0: over). */
async function rows() {
  const found = await db.query<{ name: string; holder: string; token: bigint; minutes: number }>(
    `select name, holder, token, greatest(0, round(extract(epoch from expires_at - now()) / 60))::int as minutes from leases`,
  )
  return Object.fromEntries(found.map(({ name, holder, token, minutes }) => [name, `${holder} ${token} ${minutes}`]))
}

const expire = (name: string) => db.query('update leases set expires_at = now() where name = $1', [name])

test('a free lease is taken, a held one is not, and an expired one passes on under a higher token', async () => {
  assert.deepEqual(await acquireLease(db, 'a', 'one', HOUR_MS), { name: 'a', holder: 'one', token: 1n })
  assert.equal(await acquireLease(db, 'a', 'two', HOUR_MS), undefined)
  assert.deepEqual(await acquireLease(db, 'b', 'two', 2 * HOUR_MS), { name: 'b', holder: 'two', token: 1n })
  assert.deepEqual(await rows(), { a: 'one 1 60', b: 'two 1 120' })
  await expire('a')
  assert.deepEqual(await acquireLease(db, 'a', 'two', HOUR_MS), { name: 'a', holder: 'two', token: 2n })
  assert.deepEqual(await rows(), { a: 'two 2 60', b: 'two 1 120' })
})

test('a holder that starts again takes its own lease at once, under a higher token', async () => {
  await held('a', 'one')
  assert.deepEqual(await acquireLease(db, 'a', 'one', 2 * HOUR_MS), { name: 'a', holder: 'one', token: 2n })
  assert.deepEqual(await rows(), { a: 'one 2 120' })
})

test('only the present holder extends a lease, and only in time', async () => {
  const [a, b] = [await held('a', 'one'), await held('b', 'one')]
  assert.equal(await renewLease(db, a, 2 * HOUR_MS), true)
  assert.deepEqual(await rows(), { a: 'one 1 120', b: 'one 1 60' })
  assert.equal(await renewLease(db, { ...a, holder: 'two' }, HOUR_MS), false)
  assert.equal(await renewLease(db, { ...a, token: 2n }, HOUR_MS), false)
  await expire('b')
  assert.equal(await renewLease(db, b, HOUR_MS), false)
  assert.deepEqual(await rows(), { a: 'one 1 120', b: 'one 1 0' })
})

test('only the present holder releases a lease', async () => {
  const [a] = [await held('a', 'one'), await held('b', 'one')]
  await releaseLease(db, { ...a, holder: 'two' })
  await releaseLease(db, { ...a, token: 2n })
  assert.deepEqual(await rows(), { a: 'one 1 60', b: 'one 1 60' })
  await releaseLease(db, a)
  assert.deepEqual(await rows(), { a: 'one 1 0', b: 'one 1 60' })
})

test('work under a lease is done whole or not at all', async () => {
  const [lease] = [await held('a', 'one'), await held('b', 'two')]
  let runs = 0
  const work = async () => {
    runs += 1
    return 'done'
  }
  assert.equal(await underLease(db, lease, work), 'done')
  for (const other of [
    { ...lease, name: 'b' },
    { ...lease, holder: 'two' },
    { ...lease, token: 2n },
  ]) {
    await assert.rejects(underLease(db, other, work), LeaseLostError)
  }
  await expire('a')
  await assert.rejects(underLease(db, lease, work), LeaseLostError)
  assert.equal(runs, 1)
})

test('starting an embedded database ends every lease', async () => {
  await held('a', 'one')
  await held('b', 'two')
  await endAllLeases(db)
  assert.deepEqual(await rows(), { a: 'one 1 0', b: 'two 1 0' })
})

test('when the clock of the database was set back, the lease of a dead holder does not last until it is there again', async () => {
  const dead = await held('a', 'one')
  const setBack = (by: string) =>
    db.query(`update leases set expires_at = expires_at + $1::interval where name = 'a'`, [by])
  await setBack('500 milliseconds')
  assert.equal(await acquireLease(db, 'a', 'two', HOUR_MS), undefined)
  await setBack('1 hour')
  assert.deepEqual(await acquireLease(db, 'a', 'two', HOUR_MS), { name: 'a', holder: 'two', token: 2n })
  assert.deepEqual(await rows(), { a: 'two 2 60' })
  await assert.rejects(
    underLease(db, dead, async () => {}),
    LeaseLostError,
  )
})

test('a lease that was extended or taken over for longer is nobody else’s before that is over', async () => {
  const a = await held('a', 'one')
  assert.equal(await renewLease(db, a, 3 * HOUR_MS), true)
  assert.equal(await acquireLease(db, 'a', 'two', HOUR_MS), undefined)
  await expire('a')
  assert.equal((await acquireLease(db, 'a', 'two', 9 * HOUR_MS))?.token, 2n)
  assert.equal(await acquireLease(db, 'a', 'three', HOUR_MS), undefined)
})

test('who asks first hears that another holds a lease exactly while it could not be taken', async () => {
  const ends: Record<string, [sql: string, isHeld: boolean]> = {
    'in time': [`now() + lasts - interval '1 minute'`, true],
    'as late as it may': [`now() + lasts + interval '1 second'`, true],
    'over at this instant': ['now()', false],
    'over for long': [`now() - interval '1 day'`, false],
    'by a clock that was set back': [`now() + lasts + interval '1 second 1 millisecond'`, false],
  }
  for (const [what, [sql, isHeld]] of Object.entries(ends)) {
    await held('a', 'one')
    await held('b', 'two')
    await db.transaction(async (tx) => {
      await tx.query(`update leases set expires_at = ${sql} where name = 'a'`)
      assert.equal(await isHeldByAnother(tx, 'a', 'two'), isHeld, what)
      assert.equal(await isHeldByAnother(tx, 'a', 'one'), false, `${what}, its own`)
      assert.equal((await acquireLease(tx, 'a', 'two', HOUR_MS)) === undefined, isHeld, `${what}: taken`)
    })
    await db.query('delete from leases')
  }
  assert.equal(await isHeldByAnother(db, 'a', 'two'), false)
})

test('at the very instant at which a lease ends it is its holder’s no longer, and anybody’s', async () => {
  const a = await held('a', 'one')
  await db.transaction(async (tx) => {
    await tx.query('update leases set expires_at = now()')
    assert.equal(await renewLease(tx, a, HOUR_MS), false)
    const nested = { transaction: (work: (own: typeof tx) => unknown) => work(tx) } as unknown as typeof db
    await assert.rejects(
      underLease(nested, a, async () => {}),
      LeaseLostError,
    )
    assert.equal((await acquireLease(tx, 'a', 'two', HOUR_MS))?.token, 2n)
  })
})
