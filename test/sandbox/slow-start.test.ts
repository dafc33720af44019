// engine: pglite
/**
 * A first start on a machine that is slow: the embedded database blocks the thread for as long as it likes, and answers of
 * the chain are lost. Nothing fails, and nothing is asked of the chain whose answer could not be read in time.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { after, mock, test } from 'node:test'
import { pino } from 'pino'
import { loadConfig } from '../../src/config.ts'
import { startLocalChain } from '../../src/sandbox/chain/local-chain.ts'
import { patientRpc, rpc } from '../../src/sandbox/chain/rpc.ts'
import { lockSandbox, prepareSandbox } from '../../src/sandbox/prepare.ts'
import { startFaultyRpc } from '../support/faulty-rpc.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'
import { chainProcess, endChain } from './sandbox-process.ts'

const logger = pino({ level: 'silent' })
const closers: (() => Promise<unknown>)[] = []
const folders: string[] = []
after(async () => {
  for (const close of closers.toReversed()) await close()
  for (const folder of folders) endChain(folder)
})

/** The settings of a sandbox of its own, whose folder is locked. */
function newSandbox() {
  const config = loadConfig({ DATA_DIR: path.join(temporaryFolder('slow-start'), 'data') })
  folders.push(config.dataDir)
  lockSandbox(config, closers)
  return config
}

/** The methods that are asked of whatever chain. */
function watchRequests(): string[] {
  const asked: string[] = []
  const real = globalThis.fetch
  mock.method(globalThis, 'fetch', (...[url, init]: Parameters<typeof fetch>) => {
    const { method } = JSON.parse(String(init?.body)) as { method: string }
    asked.push(method)
    return real(url, init)
  })
  return asked
}

async function listens(port: number): Promise<boolean> {
  return await new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.destroy() !== undefined))
    socket.once('error', () => resolve(false))
  })
}

test('while the database opens nothing is asked of the chain, though it runs; then everything is, and nothing fails', async () => {
  const config = newSandbox()
  const asked = watchRequests()
  const database = Promise.withResolvers<void>()
  const said: string[] = []
  mock.method(console, 'log', (line: string) => void said.push(line))
  try {
    const preparing = prepareSandbox(config, logger, closers, database.promise)
    const file = path.join(config.dataDir, 'chain-process.json')
    await waitFor('the chain', async () => existsSync(file) && (await listens(chainProcess(config.dataDir).port)), {
      timeoutMs: 120_000,
    })
    assert.equal(asked.length, 0, asked.join())
    assert.deepEqual(said, ['  opening the database, starting the local chain …'])
    database.resolve()
    await preparing
  } finally {
    mock.restoreAll()
  }
  assert.ok(asked.includes('eth_sendRawTransaction') && asked.includes('evm_mine'))
  assert.deepEqual(said.slice(1), ['  the database is open', '  the local chain runs', '  the contracts are deployed'])
})

test('a database that does not open leaves no chain behind', async () => {
  const { dataDir } = newSandbox()
  const database = Promise.reject(new Error('no database'))
  database.catch(() => {})
  await assert.rejects(startLocalChain(dataDir, logger, database), /no database/)
  assert.equal(await listens(chainProcess(dataDir).port), false)
})

test('a request that may be repeated is, while no answer comes; an error that is answered is told at once', async () => {
  const { dataDir } = newSandbox()
  const chain = await startLocalChain(dataDir, logger)
  closers.push(() => chain.stop())
  let lost = 0
  const slow = await startFaultyRpc(chain.rpcUrl, ({ method }) => {
    lost += 1
    return method === 'eth_chainId' && lost <= 5 ? { kind: 'drop' } : { kind: 'none' }
  })
  closers.push(() => slow.close())
  await assert.rejects(rpc(slow.url, 'eth_chainId'))
  assert.equal(await patientRpc(slow.url, 'eth_chainId'), '0x7a69')
  assert.equal(slow.seen.length, 6)
  await assert.rejects(patientRpc(slow.url, 'eth_nothing'), /eth_nothing: /)
  assert.equal(slow.seen.length, 7)
})
