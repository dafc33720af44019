/** How a statement runs on a connection: prepared where that pays, and given up when it is not answered in time. */
import type pg from 'pg'
import type { Reading } from './columns.ts'
import type { Param, Row } from './database.ts'
import type { Deadlines } from './deadlines.ts'
import { executePrepared } from './prepared-call.ts'
import { encodeParam } from './values.ts'

/** After an error other than PostgreSQL's own, the connection must not be used again: an answer may still come. */
export type Runner = {
  run<R extends Row>(client: pg.ClientBase, text: string, params?: readonly Param[]): Promise<R[]>
  /** Begins or ends a transaction. @returns what PostgreSQL did, e.g. ROLLBACK where COMMIT was not possible */
  control(client: pg.ClientBase, text: 'begin' | 'commit' | 'rollback'): Promise<string>
}

/**
 * @param deps.nameOf the name under which a statement is prepared, unless it is not to be
 * @param deps.reading how answers are read
 */
export function createRunner(deps: {
  nameOf: (text: string) => string | undefined
  reading: Reading
  deadlines: Deadlines
}): Runner {
  const { nameOf, reading, deadlines } = deps

  function inTime<T>(start: (end: (error: unknown, result: T) => void) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const ended = deadlines.begin(reject)
      start((error, result) => {
        ended()
        if (error) reject(error)
        else resolve(result)
      })
    })
  }

  return {
    async run<R extends Row>(client: pg.ClientBase, text: string, params: readonly Param[] = []) {
      const name = nameOf(text)
      const values = params.map(encodeParam)
      if (name !== undefined)
        return (await inTime<Row[]>((end) => executePrepared(client, { name, text, values }, reading, end))) as R[]
      return (await inTime<pg.QueryResult<R>>((end) => client.query<R>({ text, values }, end))).rows
    },
    control: async (client, text) => (await inTime<pg.QueryResult>((end) => client.query(text, end))).command,
  }
}
