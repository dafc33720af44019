/** The test files of a room, and how to run one of them in a copy of the tree. */
import { globSync } from 'node:fs'
import path from 'node:path'
import { forgeBinary } from '../../contracts/tools/forge-binary.ts'
import { compilerSettings } from '../../contracts/tools/settings.ts'
import { type Engine, selectSuites } from '../support/run/select.ts'
import { FAILED } from './first-failure.ts'
import { type Outcome, runToVerdict } from './process.ts'
import type { Room } from './rooms.ts'
import type { Workspace } from './workspace.ts'

/** A test file on one engine; tests of forge have no engine. */
export type RoomTest = { file: string; engine: Engine | undefined }

export type RunOptions = { timeoutMs: number; postgresUrl?: string | undefined; coverageFolder?: string }

/**
 * Each test on `engine`, unless it is tied to the other one.
 * @throws Error when a part of the list names no test
 */
export function testsOf(root: string, room: Room, engine: Engine): RoomTest[] {
  return room.tests.flatMap((part): RoomTest[] => {
    const found: RoomTest[] = part.endsWith('.sol')
      ? globSync(part, { cwd: root }).map((file) => ({ file, engine: undefined }))
      : selectSuites(root, [part]).map(({ file, engines }) => ({
          file: path.relative(root, file),
          engine: engines.includes(engine) ? engine : engines[0],
        }))
    return found
  })
}

/** Passed: it exited with 0 and no test failed. */
export async function runTest(ws: Workspace, test: RoomTest, options: RunOptions): Promise<Outcome> {
  if (test.file.endsWith('.sol')) return await runForge(ws, ['test', '--match-path', test.file], options.timeoutMs)
  const reporter = path.join(ws.root, 'test/mutation/first-failure.ts')
  const args = ['--test-force-exit', `--test-reporter=${reporter}`, '--test-reporter-destination=stdout', test.file]
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
function runForge(ws: Workspace, args: readonly string[], timeoutMs: number): Promise<Outcome> {
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
    },
  })
}
