/** The query gives one kind of object, one per line or paragraph; they are sorted unless it puts them `inOrder` itself. */
export type DumpedObjects = { title: string; sql: string; inOrder?: true }
