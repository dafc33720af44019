// engine: postgres
/** Whether a pooler between the service and PostgreSQL is recognised, however it lends its connections. */
import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { DatabaseUnavailableError, DatabaseUnsuitableError } from '../../src/db/database.ts'
import { clientConfigOf } from '../../src/db/postgres-client.ts'
import { requireSessions } from '../../src/db/sessions.ts'
import { postgresUrl } from '../support/database.ts'
import { startPooler } from '../support/pooler.ts'
import { freePort } from '../support/ports.ts'

let url: string
before(async () => {
  url = await postgresUrl()
})

const refusedAs = (what: string) => (error: unknown) => {
  assert.ok(error instanceof DatabaseUnsuitableError, String(error))
  assert.match(
    error.message,
    new RegExp(`^DATABASE_URL leads to a pooler that ${what}.* give the address of PostgreSQL itself`),
  )
  return true
}
const refused = refusedAs('does not keep sessions')
const refusedForSettings = refusedAs('does not pass on what a connection asks for')

describe('a database address', () => {
  it('of PostgreSQL itself is accepted', async () => {
    await requireSessions({ url })
    await requireSessions({ url, statementTimeoutMs: 1_234 })
  })

  for (const lends of ['latest', 'oldest'] as const) {
    for (const size of [1, 2, 3, 5]) {
      it(`of a pooler that lends the ${lends} of ${size} connections for each transaction is refused`, async () => {
        const { options } = clientConfigOf({ url })
        const pooler = await startPooler(url, { size, mode: 'transaction', lends, options })
        after(() => pooler.close())
        await assert.rejects(requireSessions({ url: pooler.url }), refused)
      })
    }
  }

  it('of a pooler that keeps sessions is accepted when it passes on their settings, refused when it drops them', async () => {
    const { options } = clientConfigOf({ url })
    const start = async (given: string | undefined) => {
      const pooler = await startPooler(url, { size: 2, mode: 'session', lends: 'latest', options: given })
      after(() => pooler.close())
      return pooler.url
    }
    await requireSessions({ url: await start(options) })
    await assert.rejects(requireSessions({ url: await start(undefined) }), refusedForSettings)
    const weak = options?.replace('synchronous_commit=on', 'synchronous_commit=off')
    await assert.rejects(requireSessions({ url: await start(weak) }), refusedForSettings)
  })

  it('of one that refuses a connection because of its settings, as PgBouncer does in every mode, is not said to lend them', async () => {
    const refusing = createServer((socket) => {
      const said = 'SFATAL\0VFATAL\0C08P01\0Munsupported startup parameter in options: jit\0\0'
      const length = Buffer.alloc(4)
      length.writeInt32BE(said.length + 4)
      socket.on('error', () => {})
      socket.once('data', () => socket.end(Buffer.concat([Buffer.from('E'), length, Buffer.from(said)])))
    })
    await new Promise<void>((resolve) => refusing.listen(0, '127.0.0.1', resolve))
    after(() => refusing.close())
    const { port } = refusing.address() as AddressInfo
    await assert.rejects(requireSessions({ url: `postgres://me:it@127.0.0.1:${port}/x` }), refusedForSettings)
  })

  it('of nobody, or with a wrong password, is unreachable, and the password is not told', async () => {
    for (const wrong of [
      `postgres://me:hunter2@127.0.0.1:${await freePort()}/x`,
      url.replace(/:[^:@/]+@/, ':hunter2@'),
    ]) {
      await assert.rejects(
        requireSessions({ url: wrong }),
        (error) => error instanceof DatabaseUnavailableError && !error.message.includes('hunter2'),
      )
    }
  })
})
