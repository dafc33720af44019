/**
 * A database to which somebody has a stolen login, and no key: their group may run the statements, and the guards of the rows refuse them.
 * What the group may not run at all is in grants.test.ts.
 */
import { createHash } from 'node:crypto'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { ROLES, type Role } from '../../src/config.ts'
import { groupOf } from '../../src/db/access.sql.ts'
import { violatedConstraint } from '../../src/db/database.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { disbelieveBurns } from './believed-burns.ts'
import { createTestDatabase, type TestDatabase } from './database.ts'
import { placeOrder, seedTwoOfEverything } from './two-of-everything.ts'

export let db: TestDatabase

/** Before the tests of a file: two of everything, and what is stolen from. */
export async function prepareThefts(): Promise<void> {
  db = await createTestDatabase()
  // Who may use a database is not copied with it, as the tests make theirs.
  await applyGrants(db, ROLES, false)
  await grantWholeRows(db)
  await seedTwoOfEverything(db)
  await disbelieveBurns(db)
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-one', state: 'payoutPending' })
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-two', state: 'payoutPending' })
  await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference: 'redeem-not-burnt' })
  const greater = { direction: 'REDEEM', party: 'a1', reference: 'redeem-greater', amountMicro: 9_000_000n } as const
  await placeOrder(db, { ...greater, state: 'payoutPending' })
  await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'mint-done', state: 'completed' })
  await placeOrder(db, { direction: 'MINT', party: 'a1', reference: 'mint-unpaid', state: 'paymentPending' })
  await db.query(
    `insert into payouts (payout_id, order_id, customer_id, amount_sen, status, end_to_end_id)
     select 'po_00001', order_id, customer_id, 100, 'queued', 'E1' from orders where reference_id = 'redeem-one'`,
  )
}

/** Of the rows that a group may insert, it may choose every column, as under grants of an earlier version: the guards are to hold alone. */
async function grantWholeRows(db: TestDatabase): Promise<void> {
  const tables = await db.query<{ name: string; group: string }>(
    `select c.relname::text as name, g as group from pg_class c cross join unnest($1::text[]) g
     where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and has_any_column_privilege(g, c.oid, 'insert')`,
    [ROLES.map(groupOf)],
  )
  for (const { name, group } of tables) await db.query(`grant insert on ${name} to ${group}`)
}

export const UNDONE = new Error('undone')

/** By what a statement is refused: a constraint, or the database's code; undefined when it is carried out. It is undone. */
export async function refusalOf(role: Role, ...statements: string[]): Promise<string | undefined> {
  const work = db.transaction(async (tx) => {
    await tx.query(`set local role ${groupOf(role)}`)
    for (const statement of statements) await tx.query(statement)
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  return error === UNDONE
    ? undefined
    : (violatedConstraint(error) ?? String((error as { code?: string }).code ?? error))
}

/** The same, of statements the first of which begins the transaction otherwise. */
export async function firstRefusalOf(role: Role, begin: string, ...statements: string[]): Promise<string | undefined> {
  const work = db.transaction(async (tx) => {
    await tx.query(begin)
    await tx.query(`set local role ${groupOf(role)}`)
    for (const statement of statements) await tx.query(statement)
    throw UNDONE
  })
  const error = await work.catch((thrown: unknown) => thrown)
  return error === UNDONE ? undefined : violatedConstraint(error)
}

/** Statements that nothing guards, among those of a role. */
export const unguarded = (role: Role, text: string) => [
  'reset role',
  `set local session_replication_role = 'replica'`,
  text,
  `set local session_replication_role = 'origin'`,
  `set local role ${groupOf(role)}`,
]

/** What a payout of an order is called, or, of `residuals`, one of parts of a sen. */
export const payoutIdOf = (integrationId: string, referenceId: string) =>
  `po_${createHash('sha256').update(`${integrationId}/${referenceId}`).digest('hex').slice(0, 40)}`
export const paymentOf = (integrationId: string, referenceId: string, attempt = 1) =>
  endToEndIdOf({ integrationId, referenceId, attempt })

export const accountOf = (customerId: string) => `(select bank_id from customers where customer_id = '${customerId}')`
