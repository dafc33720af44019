/** What the server does to keep what it acknowledged. */
import { DatabaseUnsuitableError, type Queryable } from './database.ts'

/** Server-wide; sessions set `synchronous_commit` themselves. */
export type Durability = {
  fsync: boolean
  fullPageWrites: boolean
  /** `synchronous_standby_names`: the standbys that commits wait for; empty: none. */
  synchronousStandbys: string
}

export async function readDurability(db: Queryable): Promise<Durability> {
  const [row] = await db.query<{ fsync: string; pages: string; standbys: string }>(
    `select current_setting('fsync') as fsync, current_setting('full_page_writes') as pages,
       current_setting('synchronous_standby_names') as standbys`,
  )
  if (row === undefined) throw new Error('the server did not tell its settings')
  return { fsync: row.fsync === 'on', fullPageWrites: row.pages === 'on', synchronousStandbys: row.standbys.trim() }
}

/** @throws DatabaseUnsuitableError when a crash of the server's machine could take what was acknowledged, or ruin the rest */
export function requireDurability({ fsync, fullPageWrites }: Durability): void {
  const off = [...(fsync ? [] : ['fsync']), ...(fullPageWrites ? [] : ['full_page_writes'])]
  if (off.length === 0) return
  throw new DatabaseUnsuitableError(
    `live refuses a database server with ${off.join(' and ')} off: a crash of its machine would lose orders. Switch ${off.length === 1 ? 'it' : 'them'} on.`,
  )
}

/** What a reader of the log should know about the loss of the whole server. */
export function describeReplication({ synchronousStandbys }: Durability): string {
  return synchronousStandbys === ''
    ? 'replication is asynchronous: a standby that takes over may lack the last commits (synchronous_standby_names is empty)'
    : 'replication is synchronous: a commit waits for a standby'
}
