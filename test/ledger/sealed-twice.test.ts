// engine: postgres
/** What somebody has had sealed, and told to await its seal, at the same time: the guard of each table saw nothing of the other yet. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { ROLES, type Role } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { SEALED_BOOKS } from '../../src/ledger/sealed-books.ts'
import { SEALED_AUDIT } from '../../src/operator/sealed-audit.sql.ts'
import type { SealedEntry } from '../../src/seals/chain.ts'
import type { SealedLog } from '../../src/seals/sealed-log.ts'
import { sealLog } from '../../src/seals/sealer.ts'
import { verifyLog } from '../../src/seals/verify.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
  await applyGrants(db, ROLES, false)
})
after(() => db.close())

/** With the login of a role, `first` in one transaction and `second` in another one, before either has ended. */
async function atOnce(role: Role, first: string, second: string): Promise<void> {
  const thief = await asRole(db, role)
  await thief.transaction(async (one) => {
    await one.query(first)
    await thief.transaction((other) => other.query(second))
  })
  await thief.close()
}

/** What comes next is sealed, and `verify` says of whom the seal is not. */
async function requireSealed<E extends SealedEntry>(log: SealedLog<E>, subject: string): Promise<void> {
  const { sealed } = await sealLog(log, db, 10)
  assert.equal(sealed, 2)
  assert.deepEqual(await log.readUnsealed(db, 10), [])
  assert.deepEqual((await verifyLog(log, db)).firstBad, { fault: 'entry changed or seal forged', subject })
}

test('of the books it keeps nothing else from its seal, and counts once', async () => {
  const book = (reference: string) =>
    db.transaction((tx) =>
      recordEntries(tx, [
        {
          reference,
          effectiveAt: new Date(),
          lines: [
            { account: 'mint_receivable:int_a', amountMicro: 5n },
            { account: 'coins:1', amountMicro: -5n },
          ],
        },
      ]),
    )
  const coins = async () => (await readBalances(db)).find(({ kind }) => kind === 'coins')?.balanceMicro
  await db.query(
    `insert into ledger_entries (reference, effective_at, day, accounts, amounts_micro)
     values ('stolen', now(), current_date, '{coins:1,fees:x}', '{-1,1}')`,
  )
  await atOnce(
    'payer',
    'insert into ledger_unsealed select entry_id from ledger_entries',
    `insert into ledger_seals (position, entry_id, hash) select 1, entry_id, sha256('') from ledger_entries`,
  )
  await book('true')
  assert.equal(await coins(), -6n)
  await requireSealed(SEALED_BOOKS, 'entry 1')
  assert.equal(await coins(), -6n)
})

test('nor of the audit log', async () => {
  const line = `insert into audit_log (actor, origin, action) values ('x', 'x', 'x') returning audit_id`
  await db.query(line)
  await atOnce(
    'operator',
    'insert into audit_unsealed select audit_id from audit_log',
    `insert into audit_seals (position, audit_id, hash) select 1, audit_id, sha256('') from audit_log`,
  )
  await db.query(`with l as (${line}) insert into audit_unsealed select audit_id from l`)
  await requireSealed(SEALED_AUDIT, 'entry 1')
})
