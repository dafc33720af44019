/**
 * One execution of a prepared statement on a connection of node-postgres, which takes any object with these methods for a query (as it does
 * cursors). Its own query asks for the description of the columns each time and reads it each time, which for statements with many columns and few
 * rows costs more than the rows.
 */
import type pg from 'pg'
import type { Row } from './database.ts'
import { executionOf } from './wire.ts'

export type Decode = (text: string) => unknown

/** The columns of a statement on a connection. They never change: PostgreSQL refuses to execute a statement whose columns have. */
type Columns = { names: readonly string[]; decoders: readonly Decode[]; empty: Readonly<Row> }

/** What a connection of node-postgres has beyond its types. */
type Connection = pg.Connection & {
  stream: { cork(): void; uncork(): void; write(bytes: Uint8Array): boolean }
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { text: string; name: string }): void
  describe(what: { type: 'S'; name: string }): void
  sendCopyFail(reason: string): void
}

/** Parameters are in their text form. */
type Statement = { name: string; text: string; values: readonly (string | null)[] }
type Described = { fields: readonly { name: string; dataTypeID: number }[] }

/** Remembers what connections said about the columns of their statements. */
export type KnownColumns = WeakMap<object, Map<string, Columns>>

const NONE: Columns = { names: [], decoders: [], empty: {} }

/**
 * Executes a statement that this connection has prepared under its name, or now does.
 * @param decodeOf the decoder of a type
 */
export function executePrepared<R extends Row>(
  client: pg.ClientBase,
  statement: Statement,
  known: KnownColumns,
  decodeOf: (typeId: number) => Decode,
): Promise<R[]> {
  return new Promise((resolve, reject) => {
    client.query(
      createCall(statement, known, decodeOf, (error, rows) => (error ? reject(error) : resolve(rows as R[]))) as never,
    )
  })
}

/** Describes the statement too, where its columns are not known, and prepares it first, where it is not. */
function send(connection: Connection, { name, text, values }: Statement, columns: Columns | undefined): void {
  const isPrepared = (connection.parsedStatements[name] ?? connection.submittedNamedStatements[name]) !== undefined
  const execution = executionOf(name, values)
  if (isPrepared && columns !== undefined) {
    connection.stream.write(execution)
    return
  }
  connection.stream.cork()
  if (!isPrepared) {
    connection.parse({ text, name })
    connection.submittedNamedStatements[name] = text
  }
  connection.describe({ type: 'S', name })
  connection.stream.write(execution)
  connection.stream.uncork()
}

function createCall(
  statement: Statement,
  known: KnownColumns,
  decodeOf: (typeId: number) => Decode,
  callback: (error: unknown, rows: Row[]) => void,
) {
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

function columnsOf(fields: Described['fields'], decodeOf: (typeId: number) => Decode): Columns {
  const names = fields.map(({ name }) => name)
  return {
    names,
    decoders: fields.map(({ dataTypeID }) => decodeOf(dataTypeID)),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  }
}

function rowOf({ names, decoders, empty }: Columns, fields: readonly (string | null)[]): Row {
  const row: Row = { ...empty }
  for (let place = 0; place < fields.length; place += 1) {
    const text = fields[place]
    if (text != null) row[names[place] as string] = (decoders[place] as Decode)(text)
  }
  return row
}

function remember(known: KnownColumns, connection: object, name: string, columns: Columns): void {
  const ofConnection = known.get(connection)
  if (ofConnection === undefined) known.set(connection, new Map([[name, columns]]))
  else if (!ofConnection.has(name)) ofConnection.set(name, columns)
}
