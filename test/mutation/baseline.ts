/** Runs the tests without a fault: they must pass, and show how long they take and what they reach. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { type Coverage, readCoverage } from './coverage.ts'
import { runQuickly } from './judge-contract.ts'
import { contractsCompile, passed, type RoomTest, runTest } from './tests.ts'
import type { Workspace } from './workspace.ts'

export type MeasuredTest = RoomTest & { durationMs: number; coverage: Coverage }

const TIMEOUT_MS = 10 * 60_000

/**
 * @param tell called after each test file
 * @throws Error with the output of the first test that fails
 */
export async function measureTests(
  ws: Workspace,
  tests: readonly RoomTest[],
  postgresUrl: string | undefined,
  tell: (test: MeasuredTest) => void,
): Promise<MeasuredTest[]> {
  const coverageFolder = path.join(ws.tmp, 'coverage')
  const measured: MeasuredTest[] = []
  // Some deploy a contract by its name, and of that forge compiles nothing by itself.
  if (tests.some(({ file }) => file.endsWith('.sol'))) await contractsCompile(ws, TIMEOUT_MS)
  for (const test of tests) {
    const run = () => {
      mkdirSync(coverageFolder, { recursive: true })
      return runTest(ws, test, { timeoutMs: TIMEOUT_MS, postgresUrl, coverageFolder })
    }
    let outcome = await run()
    // On a busy machine a test may fail once for its timing, but hardly twice.
    if (!passed(outcome)) outcome = await run()
    if (!passed(outcome)) {
      const output = outcome.output.trimEnd()
      throw new Error(`${nameOf(test)} fails without a fault (${outcome.end}, exit status ${outcome.code}):\n${output}`)
    }
    if (test.file.endsWith('.sol')) await mustPassQuickly(ws, test)
    const result = { ...test, durationMs: outcome.durationMs, coverage: readCoverage(coverageFolder, ws.root) }
    measured.push(result)
    tell(result)
    ws.sweep()
  }
  return measured
}

async function mustPassQuickly(ws: Workspace, test: RoomTest): Promise<void> {
  const { noticed, output } = await runQuickly(ws, test, ws.contracts().sound)
  if (noticed !== undefined) throw new Error(`${nameOf(test)} fails without a fault when run quickly:\n${output}`)
}

export function nameOf({ file, engine }: RoomTest): string {
  return engine === 'postgres' ? `${file} (postgres)` : file
}
