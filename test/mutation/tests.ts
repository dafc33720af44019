/** The test files of a room, and how to run one of them in a copy of the tree. */
import { globSync, rmSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { forgeBinary } from '../../contracts/tools/forge-binary.ts'
import { compilerSettings } from '../../contracts/tools/settings.ts'
import { type Engine, selectSuites } from '../support/run/select.ts'
import { FAILED } from './first-failure.ts'
import { type Outcome, runToVerdict } from './process.ts'
import type { Room } from './rooms.ts'
import type { Workspace } from './workspace.ts'

/** A test file on one engine; tests of forge have no engine, and `file` may be a pattern. */
export type RoomTest = { file: string; engine: Engine | undefined }

const END_GRACE_MS = '20000'

export type RunOptions = { timeoutMs: number; postgresUrl?: string | undefined; coverageFolder?: string }

/**
 * Each test on `engine`, unless it is tied to the other one.
 * @throws Error when a part of the list names no test
 */
export function testsOf(root: string, room: Room, engine: Engine): RoomTest[] {
  return room.tests.flatMap((part): RoomTest[] => {
    // One forge runs all tests of contracts in less time than it takes to start it for each file.
    if (part.endsWith('.sol'))
      return globSync(part, { cwd: root }).length > 0 ? [{ file: part, engine: undefined }] : []
    return selectSuites(root, [part]).map(({ file, engines }) => ({
      file: path.relative(root, file),
      engine: engines.includes(engine) ? engine : engines[0],
    }))
  })
}

/** Passed: it exited with 0 and no test failed. */
export async function runTest(ws: Workspace, test: RoomTest, options: RunOptions): Promise<Outcome> {
  if (test.file.endsWith('.sol')) return await runForge(ws, ['test', '--match-path', test.file], options.timeoutMs)
  const reporter = path.join(ws.root, 'test/mutation/first-failure.ts')
  // As in `npm test`, a file that something keeps open fails.
  const endsByItself = pathToFileURL(path.join(ws.root, 'test/support/run/ends-by-itself.ts')).href
  const reported = [`--test-reporter=${reporter}`, '--test-reporter-destination=stdout']
  const args = ['--import', endsByItself, ...reported, test.file]
  return await runToVerdict(process.execPath, args, {
    cwd: ws.root,
    timeoutMs: options.timeoutMs,
    until: new RegExp(`^${FAILED}`, 'm'),
    env: {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      TMPDIR: ws.tmp,
      TEST_ENGINE: test.engine,
      TEST_POSTGRES_URL: options.postgresUrl,
      NODE_V8_COVERAGE: options.coverageFolder,
      TEST_END_GRACE_MS: process.env.TEST_END_GRACE_MS ?? END_GRACE_MS,
    },
  })
}

export function passed({ end, code }: Outcome): boolean {
  return end === 'exited' && code === 0
}

/** True when the contracts compile: a fault that the compiler refuses needs no test. */
export async function contractsCompile(ws: Workspace, timeoutMs: number): Promise<boolean> {
  return passed(await runForge(ws, ['build'], timeoutMs))
}

/**
 * Without the optimizer, which takes a minute for each compilation; with a fixed seed, so that a run can be repeated.
 */
export function runForge(
  ws: Workspace,
  args: readonly string[],
  timeoutMs: number,
  env: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  // Forge tries again what once failed. What broke one fault must not help to notice the next.
  for (const kept of ['fuzz', 'invariant', 'test-failures'])
    rmSync(path.join(ws.root, 'contracts/cache', kept), { recursive: true, force: true })
  return runToVerdict(forgeBinary(), args, {
    cwd: ws.root,
    timeoutMs,
    env: {
      ...process.env,
      FOUNDRY_CONFIG: 'contracts/foundry.toml',
      FOUNDRY_EVM_VERSION: compilerSettings.evmVersion,
      FOUNDRY_VIA_IR: 'false',
      FOUNDRY_OPTIMIZER: 'false',
      FOUNDRY_FUZZ_SEED: '1',
      ...env,
    },
  })
}
