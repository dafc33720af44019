/**
 * One execution of a prepared statement on a connection of node-postgres, which takes any object with these methods for a query (as it does
 * cursors). Its own query asks for the description of the columns each time and reads it each time, which for statements with many columns and few
 * rows costs more than the rows.
 */
import type pg from 'pg'
import { type Columns, columnsOf, type Described, NONE, type Reading, remember, rowOf } from './columns.ts'
import type { Row } from './database.ts'

/** What a connection of node-postgres has beyond its types. */
type Connection = pg.Connection & {
  stream: { cork(): void; uncork(): void }
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { text: string; name: string }): void
  describe(what: { type: 'S'; name: string }): void
  bind(what: { statement: string; values: readonly (string | null)[] }): void
  execute(what: object): void
  sync(): void
  sendCopyFail(reason: string): void
}

/** Parameters are in their text form. */
type Statement = { name: string; text: string; values: readonly (string | null)[] }
type Callback = (error: unknown, rows: Row[]) => void

/** Executes a statement that this connection has prepared under its name, or now does. */
export function executePrepared(
  client: pg.ClientBase,
  statement: Statement,
  reading: Reading,
  callback: Callback,
): void {
  client.query(createCall(statement, reading, callback) as never)
}

/** Describes the statement too, where its columns are not known, and prepares it first, where it is not. */
function send(connection: Connection, { name, text, values }: Statement, columns: Columns | undefined): void {
  const isPrepared = (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]) !== undefined
  connection.stream.cork()
  if (!isPrepared) {
    connection.parse({ text, name })
    connection.submittedNamedStatements[name] = text
  }
  if (!isPrepared || columns === undefined) connection.describe({ type: 'S', name })
  connection.bind({ statement: name, values })
  connection.execute({})
  connection.sync()
  connection.stream.uncork()
}

function createCall(statement: Statement, { known, decodeOf }: Reading, callback: Callback) {
  let columns: Columns | undefined
  let failure: unknown
  const rows: Row[] = []
  return {
    name: statement.name,
    text: statement.text,
    // node-postgres replaces it by one that also ends its timer.
    callback,
    submit(connection: Connection): void {
      columns = known.get(connection)?.get(statement.name)
      send(connection, statement, columns)
    },
    handleRowDescription({ fields }: Described): void {
      columns = columnsOf(fields, decodeOf)
    },
    handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
      if (failure !== undefined) return
      try {
        rows.push(rowOf(columns ?? NONE, fields))
      } catch (error) {
        failure = error
      }
    },
    handleCommandComplete(_message: unknown, connection: Connection): void {
      remember(known, connection, statement.name, columns ?? NONE)
    },
    handleReadyForQuery(): void {
      this.callback(failure, rows)
    },
    handleError(error: unknown): void {
      this.callback(failure ?? error, rows)
    },
    handleEmptyQuery(): void {},
    handlePortalSuspended(): void {},
    handleCopyInResponse: (connection: Connection): void => connection.sendCopyFail('there is nothing to copy'),
    handleCopyData(): void {},
  }
}
