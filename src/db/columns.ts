/** The columns of a prepared statement, and its rows. */
import type { Row } from './database.ts'

export type Decode = (text: string) => unknown

/** The columns of a statement on a connection. They never change: PostgreSQL refuses to execute a statement whose columns have. */
export type Columns = { names: readonly string[]; decoders: readonly Decode[]; empty: Readonly<Row> }

/** What connections said about the columns of their statements, by the statement's name. */
export type KnownColumns = WeakMap<object, Map<string, Columns>>

/** How answers are read. */
export type Reading = {
  /** Remembers what connections said about the columns of their statements. */
  known: KnownColumns
  /** The decoder of a type. */
  decodeOf: (typeId: number) => Decode
}

/** What PostgreSQL says about them. */
export type Described = { fields: readonly { name: string; dataTypeID: number }[] }

/** Of a statement that returns no rows. */
export const NONE: Columns = { names: [], decoders: [], empty: {} }

/** @param decodeOf the decoder of a type */
export function columnsOf(fields: Described['fields'], decodeOf: (typeId: number) => Decode): Columns {
  const names = fields.map(({ name }) => name)
  return {
    names,
    decoders: fields.map(({ dataTypeID }) => decodeOf(dataTypeID)),
    empty: Object.fromEntries(names.map((name) => [name, null])),
  }
}

/** @param fields the text of each column, or null */
export function rowOf({ names, decoders, empty }: Columns, fields: readonly (string | null)[]): Row {
  const row: Row = { ...empty }
  for (let place = 0; place < fields.length; place += 1) {
    const text = fields[place]
    if (text != null) row[names[place] as string] = (decoders[place] as Decode)(text)
  }
  return row
}

/** Remembers the columns of a statement of a connection. */
export function remember(known: KnownColumns, connection: object, name: string, columns: Columns): void {
  const ofConnection = known.get(connection)
  if (ofConnection === undefined) known.set(connection, new Map([[name, columns]]))
  else if (!ofConnection.has(name)) ofConnection.set(name, columns)
}
