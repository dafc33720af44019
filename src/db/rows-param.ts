/** Many rows as one parameter of a statement. */
import type { Param } from './database.ts'
import { encodeParam } from './values.ts'

/** A column of such rows: its name, its type, and what an item has there. */
export type RowsColumn<Item> = readonly [name: string, type: string, read: (item: Item) => Param]

/**
 * The rows of a parameter (`$1`) as a relation `alias`, for `from`; `place` counts them from 1. They come as JSON: of one array for each column (`unnest`)
 * the planner sees how many rows there are, and where these are fewer than the ten that it expects otherwise, it plans each call anew. Planning costs
 * more than the statement.
 */
export function rowsOf(
  param: string,
  alias: string,
  columns: readonly (readonly [name: string, type: string, ...unknown[]])[],
): string {
  const typed = columns.map(([name, type]) => `${name} ${type}`).join(', ')
  const names = columns.map(([name]) => name).join(', ')
  return `rows from (json_to_recordset(${param}::json) as (${typed})) with ordinality as ${alias} (${names}, place)`
}

/** The value of that parameter. */
export function rowsParam<Item>(columns: readonly RowsColumn<Item>[], items: readonly Item[]): string {
  const rows = items.map((item) => {
    const row: Record<string, string> = {}
    for (const [name, , read] of columns) {
      const text = encodeParam(read(item))
      if (text !== null) row[name] = text
    }
    return row
  })
  return JSON.stringify(rows)
}
