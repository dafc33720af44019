/** What the database server does to keep what it has acknowledged. */
import { DatabaseUnsuitableError, type Queryable } from './database.ts'

/** Server-wide settings; sessions set `synchronous_commit` themselves. */
export type Durability = {
  fsync: boolean
  fullPageWrites: boolean
  /** `synchronous_standby_names`: the standbys for which commits wait; empty: none. */
  synchronousStandbys: string
}

/** What the server does so that a commit survives a crash of its machine. */
export async function readDurability(db: Queryable): Promise<Durability> {
  const [row] = await db.query<{ fsync: string; pages: string; standbys: string }>(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
       current_setting('synchronous_standby_names') as standbys`,
  )
  if (row === undefined) throw new Error('the server did not return its settings')
  return { fsync: row.fsync === 'on', fullPageWrites: row.pages === 'on', synchronousStandbys: row.standbys.trim() }
}

/**
 * @throws DatabaseUnsuitableError when a crash of the server's machine could lose acknowledged commits or corrupt the
 * data
 */
export function requireDurability({ fsync, fullPageWrites }: Durability): void {
  const off = [...(fsync ? [] : ['fsync']), ...(fullPageWrites ? [] : ['full_page_writes'])]
  if (off.length === 0) return
  throw new DatabaseUnsuitableError(
    `live refuses a database server with ${off.join(' and ')} off: a crash of its machine would lose orders. Switch ${off.length === 1 ? 'it' : 'them'} on.`,
  )
}

/** A log line on what the loss of the whole server would cost. */
export function describeReplication({ synchronousStandbys }: Durability): string {
  return synchronousStandbys === ''
    ? 'replication is asynchronous: a standby that takes over may lack the last commits (synchronous_standby_names is empty)'
    : 'replication is synchronous: a commit waits for a standby'
}
