/**
 * The query returns one kind of object, one per line or paragraph, to be sorted unless it puts them `inOrder` itself.
 */
export type DumpedObjects = { title: string; sql: string; inOrder?: true }
