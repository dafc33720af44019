// engine: pglite; only in test:long
/** The two steps, on small contracts with planted faults: quickly noticed, noticed by the whole run alone, not noticed. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { temporaryFolder } from '../support/temp.ts'
import { type MeasuredTest, measureTests } from './baseline.ts'
import { judge } from './judge.ts'
import { failedTest } from './judge-contract.ts'
import { nameMutants } from './mutant.ts'
import { solidityEdits } from './solidity.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const PROJECT = path.join(import.meta.dirname, '../..')
const HEAD = '// SPDX-License-Identifier: Apache-2.0\npragma solidity ^0.8.28;\n'
const COIN = 'contracts/src/Coin.sol'
const SOURCES = {
  [COIN]: `${HEAD}
contract Coin {
    uint256 public supply;
    uint256 public rare;
    uint256 unread = 7;
    function mint(uint256 amount) external {
        supply += amount;
    }
    function turn(uint256 number) external {
        if (number % 64 == 5) rare = number;
    }
}`,
  'contracts/src/Settlement.sol': `${HEAD}
contract Settlement {}`,
  'contracts/test/Coin.t.sol': `${HEAD}
import {Coin} from "../src/Coin.sol";
interface Vm {
    function envOr(string calldata name, string calldata fallback_) external view returns (string memory);
    function deployCode(string calldata artifact) external returns (address);
}
contract CoinTest {
    Vm private constant vm = Vm(address(uint160(uint256(keccak256("hevm cheat code")))));
    Coin private coin;
    function setUp() public {
        coin = Coin(vm.deployCode(vm.envOr("COIN_ARTIFACT", string("Coin.sol:Coin"))));
    }
    function test_mints() public {
        coin.mint(5);
        require(coin.supply() == 5, "supply");
    }
    function testFuzz_turns(uint8 number) public {
        uint256 runs = bytes(vm.envOr("FOUNDRY_FUZZ_RUNS", string(""))).length;
        coin.turn(5);
        // Only the whole run looks at it.
        require(runs != 0 || coin.rare() == 5, "rare");
    }
}`,
}
const TESTS = 'contracts/test/**/*.t.sol'

let ws: Workspace
let measured: MeasuredTest[]

before(async () => {
  const root = temporaryFolder('contracts')
  for (const folder of ['contracts/src', 'contracts/test', 'contracts/tools'])
    mkdirSync(path.join(root, folder), { recursive: true })
  for (const file of ['contracts/foundry.toml', 'contracts/tools/solc.mjs'])
    copyFileSync(path.join(PROJECT, file), path.join(root, file))
  for (const [file, source] of Object.entries(SOURCES)) writeFileSync(path.join(root, file), source)
  symlinkSync(path.join(PROJECT, 'node_modules'), path.join(root, 'node_modules'))
  execFileSync('git', ['init', '--quiet'], { cwd: root })
  ws = createWorkspace(root)
  measured = await measureTests(ws, [{ file: TESTS, engine: undefined }], undefined, () => {})
})
after(() => ws.remove())

async function verdictOn(original: string, replacement: string) {
  const source = SOURCES[COIN]
  const mutants = nameMutants('contracts', COIN, source, solidityEdits(source))
  const mutant = mutants.find((each) => each.original === original && each.replacement === replacement)
  assert.ok(mutant, `no ${original} to ${replacement}`)
  return await judge(ws, mutant, measured, undefined)
}

test('a fault that few runs notice is killed at once, by the name of the test', async () => {
  const compiled = readFileSync(path.join(ws.root, 'contracts/cache/solidity-files-cache.json'), 'utf8')
  assert.deepEqual(await verdictOn('+=', '-='), { kind: 'killed', by: 'test_mints' })
  const afterwards = readFileSync(path.join(ws.root, 'contracts/cache/solidity-files-cache.json'), 'utf8')
  assert.equal(afterwards, compiled)
})

test('a fault that few runs do not notice is tried against all', async () => {
  assert.deepEqual(await verdictOn('5', '6'), { kind: 'killed', by: 'testFuzz_turns' })
})

test('a fault that nothing notices survives, and the source is as it was', async () => {
  assert.deepEqual(await verdictOn('7', '8'), { kind: 'survived', reached: true })
  assert.equal(ws.read(COIN), SOURCES[COIN])
})

test('a fault that the compiler refuses is not counted', async () => {
  const source = SOURCES[COIN]
  const start = source.indexOf('supply +=')
  const [mutant] = nameMutants('contracts', COIN, source, [{ operator: 'x', start, end: start + 6, replacement: '7' }])
  assert.ok(mutant)
  assert.deepEqual(await judge(ws, mutant, measured, undefined), { kind: 'invalid' })
})

test('the failed test is named in each form of what forge prints', () => {
  assert.equal(failedTest('[PASS] test_a() (gas: 1)\n[FAIL: supply] test_b() (gas: 2)'), 'test_b')
  assert.equal(failedTest('[FAIL: panic: 0x11; counterexample: args=[3]] testFuzz_c(uint256) (runs: 1)'), 'testFuzz_c')
  assert.equal(failedTest('[FAIL: reverted] setUp() (gas: 0)'), 'setUp')
  assert.equal(
    failedTest('[FAIL: x]\n\t[Sequence]\n\t\tcalldata=link(uint256)\n invariant_d() (runs: 0)'),
    'invariant_d',
  )
  assert.equal(failedTest('[PASS] test_a() (gas: 1)'), undefined)
})
