/**
 * Refuses a statement with two columns of one name: node-postgres gives the value of the last one, and
 * src/db/columns.ts that of the last one that is not null.
 */
import pg from 'pg'

type Described = { fields: readonly { name: string }[] }

/** Statements that were looked at, by the names of their columns. */
export const looked: string[][] = []
const MOST_KEPT = 100

/** From now on the process fails when PostgreSQL describes such a statement. */
export function refuseTwoOfOneName(): void {
  const { prototype } = pg.Connection
  const { emit } = prototype
  prototype.emit = function (this: pg.Connection, event: string, ...given: unknown[]) {
    if (event === 'rowDescription') look((given[0] as Described).fields.map(({ name }) => name))
    return (emit as (...all: unknown[]) => boolean).call(this, event, ...given)
  } as typeof emit
}

function look(names: string[]): void {
  if (looked.length < MOST_KEPT) looked.push(names)
  if (new Set(names).size < names.length)
    throw new Error(`a statement has two columns of one name: ${names.join(', ')}`)
}
