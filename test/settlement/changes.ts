/** What a piece of work changed in the database, row by row and column by column. */
import type { Database, Queryable } from '../../src/db/database.ts'

/** Table → the columns that name a row. */
const TABLES: Readonly<Record<string, string>> = {
  chains: 'chain_id',
  chain_limits: `chain_id || '/' || direction`,
  settlement_holds: 'chain_id',
  signers: `chain_id || '/' || address`,
  batch_explanations: `chain_id || '/' || batch_id`,
  batches: `chain_id || '/' || batch_id`,
  batch_attempts: `chain_id || '/' || tx_hash`,
  orders: 'order_id',
  foreign_instructions: `chain_id || '/' || batch_id || '/' || instruction_index`,
  foreign_movements: 'movement_id',
  timelock_operations: `chain_id || '/' || operation_id`,
  signed_orders: 'order_id',
  tag_conflicts: 'order_id',
  wallet_earmarks: `chain_id || '/' || address`,
  leases: 'name',
  events: 'event_id',
  payouts: 'payout_id',
  payout_attempts: `payout_id || '/' || attempt`,
}

type Snapshot = Map<string, Record<string, unknown>>

/** Rolls the work back, so that every test of a file finds the planted rows. */
class Undo extends Error {}

/** Runs `work` in a transaction and rolls it back. Returns what it returned, and a sorted line for each change. */
export async function changesOf<T>(
  db: Database,
  work: (tx: Queryable) => Promise<T>,
): Promise<{ result: T; changes: string[] }> {
  let found: { result: T; changes: string[] } | undefined
  await db
    .transaction(async (tx) => {
      const before = await snapshot(tx)
      const result = await work(tx)
      found = { result, changes: differences(before, await snapshot(tx), await nowOf(tx)) }
      throw new Undo()
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undo)) throw error
    })
  if (found === undefined) throw new Error('the work did not end')
  return found
}

async function snapshot(tx: Queryable): Promise<Snapshot> {
  const rows: Snapshot = new Map()
  for (const [table, name] of Object.entries(TABLES)) {
    const found = await tx.query<{ name: string; row: Record<string, unknown> }>(
      `select (${name})::text as name, to_jsonb(t) as row from ${table} t`,
    )
    for (const { name: key, row } of found) rows.set(`${table} ${key}`, row)
  }
  return rows
}

async function nowOf(tx: Queryable): Promise<number> {
  const [row] = await tx.query<{ now: Date }>('select now()')
  return row?.now.getTime() ?? 0
}

function differences(before: Snapshot, after: Snapshot, nowMs: number): string[] {
  const lines: string[] = []
  for (const [key, row] of after) {
    const old = before.get(key)
    if (old === undefined) lines.push(`${key}: new ${show(withoutNulls(row), nowMs)}`)
    else {
      const columns = Object.keys(row)
        .sort()
        .filter((column) => JSON.stringify(row[column]) !== JSON.stringify(old[column]))
      const moves = columns.map((column) => `${column} ${show(old[column], nowMs)} → ${show(row[column], nowMs)}`)
      if (moves.length > 0) lines.push(`${key}: ${moves.join(', ')}`)
    }
  }
  for (const key of before.keys()) if (!after.has(key)) lines.push(`${key}: gone`)
  return lines.sort()
}

function withoutNulls(row: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
}

const INSTANT = /^\d{4}-\d\d-\d\dT[\d:.]+[+-]\d\d:\d\d$/

function show(value: unknown, nowMs: number): string {
  if (typeof value === 'string' && INSTANT.test(value)) {
    return Math.abs(Date.parse(value) - nowMs) < 2 ? 'now' : new Date(value).toISOString()
  }
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([column, part]) => `${column}=${show(part, nowMs)}`)
      .join(' ')
  }
  return String(value)
}
