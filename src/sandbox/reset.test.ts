import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/temp.ts'

test('a reset takes the statements of the simulated bank away, and nothing that others have put beside them', () => {
  const dataDir = path.join(temporaryFolder(), 'data')
  const files = {
    in: ['SIM-7.xml', '.SIM-8.xml.part', 'theirs.xml'],
    working: ['0b6f4c1e-0000-4000-8000-000000000000.SIM-6.xml'],
    done: [`${'a'.repeat(64)}-SIM-5.xml`],
    'set-aside': [`${'b'.repeat(64)}-SIM-4.xml`, `${'b'.repeat(64)}-SIM-4.xml.reason.json`],
  }
  for (const [folder, names] of Object.entries(files)) {
    mkdirSync(path.join(dataDir, 'bank', folder), { recursive: true })
    for (const name of names) writeFileSync(path.join(dataDir, 'bank', folder, name), '')
  }
  const reset = path.join(import.meta.dirname, 'reset.ts')
  const { status, stderr } = spawnSync(process.execPath, [reset], { env: { DATA_DIR: dataDir }, encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const left = Object.keys(files).flatMap((folder) => readdirSync(path.join(dataDir, 'bank', folder)))
  assert.deepEqual(left, ['theirs.xml'])
})

test('a reset that was asked for help, or for another folder by an argument, deletes nothing', () => {
  const dataDir = path.join(temporaryFolder(), 'data')
  mkdirSync(path.join(dataDir, 'database'), { recursive: true })
  writeFileSync(path.join(dataDir, 'sandbox-key'), 'x')
  const reset = path.join(import.meta.dirname, 'reset.ts')
  for (const argument of ['--help', '--data-dir=/elsewhere', 'elsewhere']) {
    const env = { DATA_DIR: dataDir }
    const { status, stderr } = spawnSync(process.execPath, [reset, argument], { env, encoding: 'utf8' })
    assert.equal(status, 1)
    assert.match(stderr, /^This deletes what the sandbox in DATA_DIR \(default \.data\) keeps\. It takes no arguments/)
    assert.ok(!stderr.includes('    at '), stderr)
  }
  assert.deepEqual(readdirSync(dataDir).sort(), ['database', 'sandbox-key'])
})
