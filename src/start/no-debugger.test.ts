import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { childEnvironment } from '../../test/support/child-environment.ts'
import { LIVE_SETTINGS } from '../../test/support/live-settings.ts'

const MAIN = path.join(import.meta.dirname, '../main.ts')

/** A live process whose database takes connections and says nothing. */
async function startLive({ flags = [], settings = {} }: { flags?: string[]; settings?: Record<string, string> } = {}) {
  const database = createServer().listen(0, '127.0.0.1')
  await once(database, 'listening')
  after(() => database.close())
  const { port } = database.address() as AddressInfo
  const program = spawn(process.execPath, [...flags, MAIN], {
    env: {
      ...childEnvironment(),
      ...LIVE_SETTINGS,
      DATABASE_URL: `postgres://coin@127.0.0.1:${port}/coin`,
      PORT: '0',
      OPERATOR_PORT: '0',
      ...settings,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  after(() => program.kill('SIGKILL'))
  return { database, program, said: text(program.stderr) }
}

test('live opens no debugger for a signal, at whose port every user of the machine could run what they like', {
  skip: process.platform === 'win32',
}, async () => {
  // Settings may have blanks around them, as of a file that was written on Windows.
  const { database, program, said } = await startLive({ settings: { COIN_ENVIRONMENT: 'live\r' } })
  await once(database, 'connection')
  program.kill('SIGUSR1')
  await setTimeout(500)
  assert.equal(program.exitCode ?? program.signalCode, null)
  program.kill('SIGKILL')
  assert.equal(await said, '')
})

test('live does not start with a debugger', async () => {
  const { program, said } = await startLive({ flags: ['--inspect=127.0.0.1:0'] })
  const [code] = await once(program, 'exit')
  assert.match(await said, /live refuses a debugger/)
  assert.equal(code, 1)
})
