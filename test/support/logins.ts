/** A database as in live: an owner who is no superuser, and users that may do what the roles of their process need. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { groupOf } from '../../src/db/access.sql.ts'
import { childEnvironment } from './child-environment.ts'

const ROOT = path.join(import.meta.dirname, '../..')

export type Logins = {
  /** The address for the owner of the tables. */
  ownerUrl: string
  /** The address for a process with these COIN_ROLES. */
  urlOf(roles: string): string
  /** Removes the users; the database must be gone by then. */
  drop(): Promise<void>
}

/**
 * Prepares an empty database with `npm run migrate`'s program, as its owner, and makes the users.
 * @param url of the database, as a superuser
 * @param fleet the COIN_ROLES of all processes
 */
export async function createLogins(
  url: string,
  fleet: readonly string[],
  settings: Readonly<Record<string, string>> = { COIN_ENVIRONMENT: 'sandbox' },
): Promise<Logins> {
  const suffix = randomBytes(4).toString('hex')
  const password = randomBytes(12).toString('hex')
  const nameOf = (roles: string) => `login_${roles.replaceAll(',', '_')}_${suffix}`
  const urlOf = (roles: string) => {
    const changed = new URL(url)
    changed.username = nameOf(roles)
    changed.password = password
    return changed.href
  }
  const database = new URL(url).pathname.slice(1)
  const ownerUrl = urlOf('owner')
  await run(url, [
    `create role ${nameOf('owner')} login createrole password '${password}'`,
    `alter database ${database} owner to ${nameOf('owner')}`,
  ])
  await migrateAs(ownerUrl, settings)
  const names = [...new Set(fleet)]
  await run(
    url,
    names.map((roles) => {
      const groups = roles.split(',').map(groupOf)
      return `create role ${nameOf(roles)} login password '${password}' in role ${groups.join(', ')}`
    }),
  )
  return {
    ownerUrl,
    urlOf,
    async drop() {
      const server = new URL(url)
      server.pathname = '/postgres'
      // The groups are the cluster's; who made them is remembered with them.
      await run(server.href, [
        ...names.map((roles) => `drop role ${nameOf(roles)}`),
        `reassign owned by ${nameOf('owner')} to current_user`,
        `drop owned by ${nameOf('owner')}`,
        `drop role ${nameOf('owner')}`,
      ])
    },
  }
}

/** Runs `npm run migrate`. @throws with what it printed */
export async function migrateAs(
  url: string,
  settings: Readonly<Record<string, string>>,
  ...args: string[]
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [path.join(ROOT, 'src/migrate.ts'), ...args], {
    env: { ...childEnvironment(), ...settings, DATABASE_URL: url },
  })
  return stdout
}

async function run(url: string, statements: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}
