/**
 * Which index a look-up uses must not depend on what the planner knows: a plan that was prepared while a table was small is kept while
 * it grows. So a look-up by several columns has one index that serves it, and no second one that serves a part of them.
 */
import type { Database, Queryable } from '../../src/db/database.ts'

type Node = {
  'Relation Name'?: string
  Alias?: string
  'Index Name'?: string
  'Index Cond'?: string
  'Total Cost': number
  Filter?: string
  Plans?: Node[]
}

/** A database that tells `listener` every text that is sent to it, those of transactions too. */
export function listeningTo(db: Database, listener: (text: string) => void): Database {
  const heard = (to: Queryable): Queryable => ({
    query(text, params) {
      listener(text)
      return to.query(text, params)
    },
  })
  return { ...db, ...heard(db), transaction: (work) => db.transaction((tx) => work(heard(tx))) }
}

/** Costs of look-ups of one row differ by less, whichever index they go by. */
const ALIKE = 1.1

/**
 * Look-ups of a statement, on tables with few rows, for which another index looks as good to the planner although it serves other
 * conditions: each as `table: index or index`. The generic plan is made once more without each index that it uses.
 */
export async function rivalsIn(db: Database, text: string): Promise<string[]> {
  const found = new Set<string>()
  const scans = scansOf(await planOf(db, text))
  const used = new Set(scans.map((scan) => scan['Index Name'] ?? ''))
  for (const index of used) {
    for (const other of scansOf(await planOf(db, text, index))) {
      const { 'Index Name': otherIndex = '', 'Relation Name': table } = other
      // An alias may name another scan of the table where the plan has another shape.
      if (used.has(otherIndex)) continue
      const first = scans.find(
        (scan) => scan['Index Name'] === index && scan['Relation Name'] === table && scan.Alias === other.Alias,
      )
      if (first === undefined || first['Index Cond'] === other['Index Cond']) continue
      if (other['Total Cost'] <= first['Total Cost'] * ALIKE)
        found.add(`${table}: ${[index, otherIndex].sort().join(' or ')}`)
    }
  }
  return [...found]
}

/** The conditions by which a statement's generic plan looks into the indexes of a table. */
export async function indexConditionsIn(db: Database, text: string, table: string): Promise<string[]> {
  const scans = scansOf(await planOf(db, text))
  return scans.filter((scan) => scan['Relation Name'] === table).map((scan) => scan['Index Cond'] ?? 'none')
}

function scansOf(node: Node): Node[] {
  const below = (node.Plans ?? []).flatMap(scansOf)
  return node['Index Name'] === undefined ? below : [node, ...below]
}

let prepared = 0

/** The generic plan, as if an index were not there. Asked with parameters, `explain (generic_plan)` would plan for these. */
async function planOf(db: Database, text: string, without?: string): Promise<Node> {
  const numbers = [...text.matchAll(/\$(\d+)/g)].map(([, number]) => Number(number))
  const values = Array.from({ length: Math.max(0, ...numbers) }, () => 'null').join(', ')
  const name = `for_its_plan_${++prepared}`
  const undone = new Error('undone')
  let plan: Node = { 'Total Cost': 0 }
  const explaining = db.transaction(async (tx) => {
    await tx.query('set local plan_cache_mode = force_generic_plan')
    if (without !== undefined) {
      await tx.query('update pg_index set indisvalid = false where indexrelid = $1::text::regclass', [without])
    }
    await tx.query(`prepare ${name} as ${text}`)
    const explain = `explain (format json) execute ${name}${values === '' ? '' : ` (${values})`}`
    const [row] = await tx.query<{ 'QUERY PLAN': [{ Plan: Node }] }>(explain)
    plan = row?.['QUERY PLAN'][0].Plan ?? plan
    await tx.query(`deallocate ${name}`)
    throw undone
  })
  await explaining.catch((error: Error) => {
    if (error !== undone && !error.message.includes('unique or exclusion constraint')) throw error
  })
  return plan
}
