// engine: postgres
/** The databases on which the program refuses to start, and what it says. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, describe, it } from 'node:test'
import { childEnvironment } from '../support/child-environment.ts'
import { startGuarded } from '../support/guarded-process.ts'
import { LIVE_SETTINGS } from '../support/live-settings.ts'
import { startPooler } from '../support/pooler.ts'
import { startPostgresServer } from '../support/postgres-server.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const LIVE = { ...LIVE_SETTINGS, COIN_ROLES: 'api', PORT: '0', OPERATOR_PORT: '0' }

async function start(databaseUrl: string, program = 'main'): Promise<{ code: number | null; output: string }> {
  const started = await startGuarded(process.execPath, [path.join(ROOT, `src/${program}.ts`)], {
    env: {
      ...childEnvironment(),
      ...LIVE,
      DATABASE_URL: databaseUrl,
    },
    cwd: ROOT,
  })
  const code = await started.exited
  return { code, output: started.output() }
}

describe('live refuses to start', () => {
  it('on a server that does not keep what it acknowledged', async () => {
    const server = await startPostgresServer({ fsync: 'off', full_page_writes: 'off' })
    after(() => server.stop())
    const { code, output } = await start(server.url)
    assert.equal(code, 1)
    assert.equal(
      output,
      'live refuses a database server with fsync and full_page_writes off: a crash of its machine would lose orders. Switch them on.\n',
    )
  })

  it('through a pooler that lends its connections for a transaction, nor is the database prepared through it', async () => {
    const server = await startPostgresServer()
    const pooler = await startPooler(server.url, {
      size: 3,
      mode: 'transaction',
      lends: 'latest',
      options: undefined,
    })
    after(async () => {
      await pooler.close()
      await server.stop()
    })
    for (const program of ['main', 'migrate']) {
      const { code, output } = await start(pooler.url, program)
      assert.equal(code, 1, program)
      assert.match(output, /^DATABASE_URL leads to a pooler that does not keep sessions .*\n$/)
    }
  })
})
