/**
 * A process that owns a database connection and a courier, so that both can be killed. It takes its orders over IPC and
 * ends with the test that started it. Its clock stays where it was last set.
 */
import { pino } from 'pino'
import { migrate } from '../../src/db/migrate.ts'
import { openPglite } from '../../src/db/pglite.ts'
import { openPostgres } from '../../src/db/postgres.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { type Courier, createCourier } from '../../src/webhooks/courier.ts'

export type Command =
  | { id: number; do: 'query'; sql: string; params: (string | number | Date | null | string[])[] }
  | { id: number; do: 'clock'; now: Date }
  | { id: number; do: 'start'; timeoutMs: number; secretsKey: Uint8Array }
  | { id: number; do: 'stop' }

export type Reply = { id: number; rows?: Record<string, unknown>[]; error?: string }

process.once('disconnect', () => process.exit())

const [engine, place = ''] = process.argv.slice(2)
const db =
  engine === 'postgres' ? await openPostgres({ url: place, poolSize: 5 }) : await openPglite({ dataDir: place })
await migrate(db)

let now = new Date()
let courier: Courier | undefined

async function obey(command: Command): Promise<Record<string, unknown>[]> {
  if (command.do === 'query') return db.query(command.sql, command.params)
  if (command.do === 'clock') {
    now = command.now
    courier?.wake()
  } else if (command.do === 'start') {
    const { timeoutMs, secretsKey } = command
    const secrets = createSecretBox(secretsKey)
    const logger = pino({ level: 'silent' })
    courier = createCourier({
      db,
      logger,
      secrets,
      allowLoopback: true,
      clock: () => now,
      timeoutMs,
      maxPerEndpoint: 16,
    })
    courier.start()
  } else {
    await courier?.stop()
    await db.close()
  }
  return []
}

process.on('message', (command: Command) => {
  obey(command).then(
    (rows) => process.send?.({ id: command.id, rows } satisfies Reply),
    (error: unknown) => process.send?.({ id: command.id, error: String(error) } satisfies Reply),
  )
})
process.send?.({ id: 0 } satisfies Reply)
