import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createTestDatabase, type TestDatabase } from '../../../test/support/database.ts'
import { bankSays } from '../../../test/support/reserve.ts'
import type { Queryable } from '../../db/database.ts'
import type { ReservePolicy } from '../../reserves/guard.ts'
import { REFUNDS } from '../../values/house.ts'
import { freshMemory } from '../fresh-memory.ts'
import type { PendingOrder } from '../tables/waiting.sql.ts'
import type { Work } from '../work.ts'
import { grantMints, holdForReserve, ReserveUsedUpError, withinReserve } from './reserve.ts'

const DAY_MS = 86_400_000
const ROOM = { mint: 500n, burn: 600n, transfer: 700n }

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const order = (amountMicro: bigint, changes: Partial<PendingOrder> = {}): PendingOrder => ({
  orderId: 1n,
  integrationId: 'int_1',
  referenceId: 'ref',
  direction: 'MINT',
  amountMicro,
  walletAddress: '0x1',
  debitAddress: null,
  ...changes,
})
const refund = (amountMicro: bigint) => order(amountMicro, { integrationId: REFUNDS })

class Undo extends Error {}
/** Runs `work` where the bank says this, and undoes it. */
async function whereBankSays(says: bigint | undefined, work: (tx: Queryable) => Promise<void>, daysAgo = 0) {
  await db
    .transaction(async (tx) => {
      if (says !== undefined) await bankSays(tx, says, { daysAgo })
      await work(tx)
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
}

function settler(tx: Queryable, guard: ReservePolicy['guard'] | undefined) {
  const told: object[] = []
  const clock = { nowMs: 5_000_000 }
  const work = {
    db: tx,
    memory: freshMemory(),
    times: { retryMs: 1 },
    nowMs: () => clock.nowMs,
    reserve: guard === undefined ? undefined : { guard, maxAgeMs: 2 * DAY_MS },
    chain: { config: { chainId: 7 } },
    logger: { error: (fields: object) => void told.push(fields) },
  } as unknown as Work
  return { work, told, clock, form: work.memory.form }
}

test('without a guard, and where nothing but refunds is minted, every bucket has its room and nobody asks the bank', async () => {
  await whereBankSays(undefined, async (tx) => {
    for (const guard of [undefined, 'off'] as const) {
      const { work } = settler(tx, guard)
      assert.equal(await withinReserve(work, ROOM, [order(9_000n)]), ROOM)
    }
    const { work, form } = settler(tx, 'hold')
    form.shortOfReserve = true
    assert.equal(await withinReserve(work, ROOM, [refund(5n), order(5n, { direction: 'REDEEM' })]), ROOM)
    assert.equal(form.shortOfReserve, false)
  })
})

test('a guard that holds lets mints in as far as the reserve covers them, and says how far', async () => {
  await whereBankSays(100n, async (tx) => {
    const { work, form } = settler(tx, 'hold')
    assert.deepEqual(await withinReserve(work, ROOM, [order(1n)]), { ...ROOM, mint: 100n })
    assert.equal(form.shortOfReserve, true)
    assert.equal(holdForReserve(work), false)
    assert.deepEqual(work.memory.holds.held, { reason: 'reserve', details: { covered: '0.0001' } })
    const enough = { ...ROOM, mint: 100n }
    assert.equal(await withinReserve(work, enough, [order(1n)]), enough)
    assert.equal(form.shortOfReserve, false)
  })
})

test('without a statement, or with an old one, nothing is covered, and the reason is told', async () => {
  const heldBecause = async (says: bigint | undefined, daysAgo: number) => {
    let details: object = {}
    await whereBankSays(
      says,
      async (tx) => {
        const { work } = settler(tx, 'hold')
        assert.equal((await withinReserve(work, ROOM, [order(1n)])).mint, 0n)
        holdForReserve(work)
        details = work.memory.holds.held.details
      },
      daysAgo,
    )
    return details
  }
  assert.deepEqual(await heldBecause(undefined, 0), { reason: 'no statement was read yet' })
  assert.deepEqual(await heldBecause(900n, 9), { reason: 'a statement is too old', accounts: 'main' })
})

test('a guard that only warns does so where less is covered than is minted, once a minute, and keeps nobody out', async () => {
  await whereBankSays(100n, async (tx) => {
    const { work, told, clock, form } = settler(tx, 'warn')
    const mints = (amountMicro: bigint) => withinReserve(work, ROOM, [order(amountMicro - 60n), refund(9n), order(60n)])
    assert.equal(await mints(100n), ROOM)
    assert.deepEqual(told, [])
    assert.equal(await mints(101n), ROOM)
    clock.nowMs += 59_999
    await mints(101n)
    assert.deepEqual(told, [{ chainId: 7, covered: '0.0001' }])
    clock.nowMs += 1
    await mints(101n)
    assert.equal(told.length, 2)
    assert.equal(form.shortOfReserve, false)
  })
})

test('mints are granted up to the last unit that is covered, and not beyond; refunds and others need no grant', async () => {
  await whereBankSays(100n, async (tx) => {
    const grant = (orders: readonly PendingOrder[], guard: 'hold' | 'warn' = 'hold') =>
      grantMints(tx, settler(tx, guard).work, orders)
    await grant([order(60n), order(40n), refund(900n), order(900n, { direction: 'TRANSFER' })])
    await assert.rejects(grant([order(60n), order(41n)]), ReserveUsedUpError)
    await grant([order(101n)], 'warn')
    await grantMints(tx, settler(tx, undefined).work, [order(101n)])
  })
  await whereBankSays(undefined, async (tx) => {
    await grantMints(tx, settler(tx, 'hold').work, [refund(900n)])
    await assert.rejects(grantMints(tx, settler(tx, 'hold').work, [order(1n)]), ReserveUsedUpError)
  })
})

test('one transaction grants at a time', async () => {
  await whereBankSays(100n, async (tx) => {
    const asked: string[] = []
    const watched: Queryable = {
      query(text, params) {
        asked.push(text)
        return tx.query(text, params)
      },
    }
    await grantMints(watched, settler(tx, 'hold').work, [order(1n)])
    assert.match(asked[0] ?? '', /pg_advisory_xact_lock/)
    await grantMints(watched, settler(tx, 'hold').work, [refund(1n)])
    assert.equal(asked.filter((text) => /pg_advisory_xact_lock/.test(text)).length, 1)
  })
})
