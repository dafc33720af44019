import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { pino } from 'pino'
import { temporaryFolder } from '../../test/support/temp.ts'
import type { Config } from '../config.ts'
import { StartError } from '../start/start-failure.ts'
import { startLocalChain } from './chain/local-chain.ts'
import { deployOnce } from './contracts.ts'
import { prepareDemoData } from './demo-data.ts'
import { readKept, readKeptJson, writeKept } from './kept-file.ts'
import { prepareSandbox } from './prepare.ts'

const logger = pino({ level: 'silent' })

test('a kept file is made once, for its owner alone, and nothing lies beside it', () => {
  const folder = temporaryFolder()
  const file = path.join(folder, 'kept')
  const read = (made: string) =>
    readKept(
      file,
      () => made,
      (text) => text.length === 1,
    )
  assert.deepEqual([read('a'), read('b')], ['a', 'a'])
  writeKept(file, 'c\n')
  assert.equal(read('d'), 'c')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.deepEqual(readdirSync(folder), ['kept'])
  assert.equal(readKeptJson(path.join(folder, 'none')), undefined)
})

test('a start says which of its files is damaged, and what to do', async () => {
  const config = { chains: [{}] } as unknown as Config
  const starts: Record<string, (dataDir: string) => Promise<unknown>> = {
    'secrets-key': (dataDir) => prepareSandbox({ ...config, dataDir }, logger, [], Promise.resolve()),
    'operator-token': (dataDir) => prepareSandbox({ ...config, dataDir }, logger, [], Promise.resolve()),
    'chain-genesis': (dataDir) => startLocalChain(dataDir, logger),
    'contracts.json': (dataDir) => deployOnce(dataDir, 'http://127.0.0.1:1'),
    'demo.json': (dataDir) => prepareDemoData({ dataDir } as Parameters<typeof prepareDemoData>[0]),
  }
  for (const [name, start] of Object.entries(starts)) {
    const isSecret = name === 'secrets-key' || name === 'operator-token'
    for (const content of ['', '{"a"', '\u0000\u0000', ...(isSecret ? ['5e'.repeat(32)] : [])]) {
      const dataDir = path.join(temporaryFolder(), 'data')
      mkdirSync(dataDir)
      const file = path.join(dataDir, name)
      writeFileSync(file, content)
      await assert.rejects(start(dataDir), (error) => {
        assert.ok(error instanceof StartError, `${name}: ${String(error)}`)
        const setting = name.toUpperCase().replace('-', '_')
        const form = `, or not in its form: it holds 32 bytes in base64url, 43 characters; what is written otherwise, as in hexadecimal, goes into ${setting}`
        assert.ok(error.message.startsWith(`${file} is damaged${isSecret ? form : ''}. `), error.message)
        assert.match(error.message, /npm run sandbox:reset/)
        return true
      })
    }
  }
})
