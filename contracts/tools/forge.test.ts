/** The tests of the contracts are only worth something if forge's verdict reaches the exit status. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { before, test } from 'node:test'
import { temporaryFolder } from '../../test/support/temp.ts'

const FORGE = path.join(import.meta.dirname, 'forge.ts')
const PLANTED = `// SPDX-License-Identifier: Apache-2.0
pragma solidity ^0.8.28;
contract PlantedTest {
    uint256 private counted;
    function test_holds() public { counted += 1; }
    function test_fails() public view { require(counted == 1, "planted"); }
}
`
let folder: string

before(() => {
  folder = temporaryFolder('forge')
  for (const name of ['src', 'test']) mkdirSync(path.join(folder, name))
  writeFileSync(path.join(folder, 'test/Planted.t.sol'), PLANTED)
})

function forge(...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, [FORGE, ...args], {
    encoding: 'utf8',
    env: {
      ...process.env,
      FOUNDRY_SRC: path.join(folder, 'src'),
      FOUNDRY_TEST: path.join(folder, 'test'),
      FOUNDRY_OUT: path.join(folder, 'out'),
      FOUNDRY_CACHE_PATH: path.join(folder, 'cache'),
      FOUNDRY_TEST_FAILURES_FILE: path.join(folder, 'failures'),
    },
  })
  return { status, output: stdout + stderr }
}

test('a failing assertion fails the command, a passing one does not', () => {
  const passing = forge('test', '--match-test', 'test_holds')
  assert.equal(passing.status, 0, passing.output)
  const failing = forge('test', '--match-test', 'test_fails')
  assert.match(failing.output, /planted/)
  assert.notEqual(failing.status, 0)
})

test('a changed gas snapshot fails the command, the same one does not', () => {
  const snapshot = path.join(folder, 'gas')
  const args = ['snapshot', '--match-test', 'test_holds', '--snap', snapshot]
  assert.equal(forge(...args).status, 0)
  assert.equal(forge(...args, '--check').status, 0)
  const gas = /\(gas: (\d+)\)/.exec(readFileSync(snapshot, 'utf8'))?.[1]
  assert.ok(gas !== undefined)
  writeFileSync(snapshot, readFileSync(snapshot, 'utf8').replace(gas, String(Number(gas) + 1)))
  assert.notEqual(forge(...args, '--check').status, 0)
})
