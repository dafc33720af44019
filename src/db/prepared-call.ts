/**
 * One execution of a prepared statement on a connection of node-postgres, which takes any object with these methods for a query (as it does
 * cursors). Its own query asks for the description of the columns each time and reads it each time, which for statements with many columns and few
 * rows costs more than the rows; and where a client has nothing else to do, its queue, its events and its timer cost as much as the statement.
 */
import type pg from 'pg'
import { type Columns, columnsOf, type Described, NONE, type Reading, remember, rowOf } from './columns.ts'
import type { Row } from './database.ts'
import { type AnswerTaker, takeAnswers } from './direct-answers.ts'
import { executionOf } from './wire.ts'

/** What a connection of node-postgres has beyond its types. */
type Connection = pg.Connection & {
  stream: { cork(): void; uncork(): void; write(bytes: Uint8Array): boolean }
  parsedStatements: Record<string, string | undefined>
  submittedNamedStatements: Record<string, string | undefined>
  parse(statement: { text: string; name: string }): void
  describe(what: { type: 'S'; name: string }): void
  sendCopyFail(reason: string): void
}

/** What a client of node-postgres has beyond its types. */
type Client = pg.ClientBase & {
  connection: Connection
  readyForQuery: boolean
  _activeQuery: object | null | undefined
  _queryQueue: readonly object[]
  _queryable: boolean
  _ending: boolean
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
  const call = createCall(client as Client, statement, reading, callback)
  if (isIdle(client as Client)) call.begin(reading.timeoutMs)
  else client.query(call as never)
}

/** Whether nothing is under way on a client and nothing waits. */
function isIdle({ readyForQuery, _activeQuery: active, _queryQueue: queue, _queryable, _ending }: Client): boolean {
  return readyForQuery && active == null && queue.length === 0 && _queryable && !_ending
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

function createCall(client: Client, statement: Statement, { known, decodeOf }: Reading, callback: Callback) {
  const { connection } = client
  let columns: Columns | undefined
  let failure: unknown
  let timer: NodeJS.Timeout | undefined
  const rows: Row[] = []
  const taker: AnswerTaker = {
    takeRow(bytes, start, end) {
      if (failure !== undefined) return
      try {
        rows.push(rowOf(columns ?? NONE, bytes, start, end))
      } catch (error) {
        failure = error
      }
    },
    takeEnd() {
      if (client._activeQuery !== call || client._queryQueue.length > 0) return false
      client._activeQuery = null
      client.readyForQuery = true
      call.handleReadyForQuery()
      return true
    },
  }
  const end = (error: unknown): void => {
    clearTimeout(timer)
    takeAnswers(connection, undefined)
    call.callback(error, rows)
  }
  const call = {
    name: statement.name,
    text: statement.text,
    // node-postgres replaces it by one that also ends its timer.
    callback,
    begin(timeoutMs: number): void {
      client._activeQuery = call
      client.readyForQuery = false
      timer = setTimeout(() => {
        callback(new Error('Query read timeout'), rows)
        call.callback = () => {}
      }, timeoutMs)
      call.submit()
    },
    submit(): void {
      columns = known.get(connection)?.get(statement.name)
      takeAnswers(connection, taker)
      send(connection, statement, columns)
    },
    handleRowDescription({ fields }: Described): void {
      columns = columnsOf(fields, decodeOf)
    },
    handleReadyForQuery(): void {
      remember(known, connection, statement.name, columns ?? NONE)
      end(failure)
    },
    handleError: (error: unknown): void => end(failure ?? error),
    handleDataRow(): void {},
    handleCommandComplete(): void {},
    handleEmptyQuery(): void {},
    handlePortalSuspended(): void {},
    handleCopyInResponse: (): void => connection.sendCopyFail('there is nothing to copy'),
    handleCopyData(): void {},
  }
  return call
}
