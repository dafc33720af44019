/** A base backup of a running server and the archive of its log, and a restore to one moment, as a database administrator does both. */
import { chmodSync, cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import pg from 'pg'
import type { PostgresServer } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

export type BaseBackup = { folder: string; archive: string }

/** A folder for the archive, and the settings with which a server writes it. */
export function archiving(): { archive: string; settings: Readonly<Record<string, string>> } {
  const archive = path.join(temporaryFolder('archive'), 'log')
  mkdirSync(archive)
  // The server's user, which may not be ours, writes there.
  chmodSync(path.dirname(archive), 0o755)
  chmodSync(archive, 0o777)
  return {
    archive,
    settings: {
      archive_mode: 'on',
      archive_command: `cp %p ${archive}/%f.part && mv ${archive}/%f.part ${archive}/%f`,
    },
  }
}

/** What pg_basebackup leaves out, too: it belongs to the running server, or is made anew by each, and may be gone before it is copied. */
const NOT_COPIED = /\/(?:postmaster\.(?:pid|opts)|pg_internal\.init(?:\.\d+)?|pgsql_tmp.*)$/

/** As pg_basebackup does it, which the test's server does not bring along. */
export async function takeBaseBackup(server: PostgresServer, archive: string): Promise<BaseBackup> {
  const folder = path.join(temporaryFolder('base'), 'data')
  await onServer(server, async (client) => {
    await client.query(`select pg_backup_start('drill', true)`)
    cpSync(server.dataFolder, folder, { recursive: true, filter: (file) => !NOT_COPIED.test(file) })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop(true)')
    writeFileSync(path.join(folder, 'backup_label'), rows[0]?.labelfile ?? '')
  })
  rmSync(path.join(folder, 'pg_wal'), { recursive: true })
  mkdirSync(path.join(folder, 'pg_wal'))
  return { folder, archive }
}

/** This moment, by the server's clock, once everything before it is in the archive. */
export async function momentOf(server: PostgresServer, archive: string): Promise<string> {
  return await onServer(server, async (client) => {
    const { rows } = await client.query<{ at: string; file: string }>(
      'select clock_timestamp()::text as at, pg_walfile_name(pg_switch_wal()) as file',
    )
    const { at, file } = rows[0] ?? { at: '', file: '' }
    await waitFor(`${file} in the archive`, () => existsSync(path.join(archive, file)))
    return at
  })
}

/** Restores a server to a moment, and starts it. */
export async function restoreTo(
  server: PostgresServer,
  { folder, archive }: BaseBackup,
  moment: string,
): Promise<void> {
  await server.kill()
  server.replaceData(folder)
  writeFileSync(path.join(server.dataFolder, 'recovery.signal'), '')
  await server.restart({
    restore_command: `cp ${archive}/%f %p`,
    recovery_target_time: moment,
    recovery_target_action: 'promote',
  })
  // It answers while it still recovers.
  await onServer(server, async (client) => {
    for (let isRecovering = true; isRecovering; ) {
      const { rows } = await client.query<{ is: boolean }>(
        'select pg_is_in_recovery() and pg_sleep(0.1) is not null as is',
      )
      isRecovering = rows[0]?.is === true
    }
  })
}

async function onServer<T>(server: PostgresServer, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: server.url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
