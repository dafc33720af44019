/**
 * Tries one fault of a contract. First quickly: the tests as they were compiled before, with few runs of what is
 * random. Only when nothing is noticed, everything is compiled anew and every run is made, as in `npm test`.
 */
import type { MeasuredTest } from './baseline.ts'
import type { Verdict } from './judge.ts'
import { contractsCompile, passed, type RoomTest, runForge } from './tests.ts'
import type { Workspace } from './workspace.ts'

const TIMEOUT_MS = 5 * 60_000
const USUAL_TIMES = 5
const FEW_RUNS = { FOUNDRY_FUZZ_RUNS: '16', FOUNDRY_INVARIANT_RUNS: '2', FOUNDRY_INVARIANT_DEPTH: '60' }
/** Deploys second versions of the contracts, which are compiled with the tests and would lack the fault. */
const TESTS_OF_UPGRADES = 'contracts/test/Upgrade.t.sol'

/** @param changed the file's text with the fault. Restores the file whatever happens. */
export async function judgeContract(
  ws: Workspace,
  file: string,
  changed: string,
  tests: readonly MeasuredTest[],
): Promise<Verdict> {
  const contracts = ws.contracts().withFault(file, changed)
  if (contracts === undefined) return { kind: 'invalid' }
  for (const test of tests) {
    const { noticed } = await runQuickly(ws, test, contracts)
    if (noticed !== undefined) return { kind: 'killed', by: noticed }
  }
  return await judgeWholly(ws, file, changed, tests)
}

/** What the quick run says: the test that fails, if one does. */
export async function runQuickly(
  ws: Workspace,
  test: RoomTest,
  contracts: Readonly<Record<string, string>>,
): Promise<{ noticed: string | undefined; output: string }> {
  const isOfUpgrades = test.file === TESTS_OF_UPGRADES
  const wanted = ['--match-path', test.file, ...(isOfUpgrades ? [] : ['--no-match-path', TESTS_OF_UPGRADES])]
  const args = ['test', '--fail-fast', ...wanted]
  const outcome = isOfUpgrades ? undefined : await runForge(ws, args, TIMEOUT_MS, { ...FEW_RUNS, ...contracts })
  // Anything but a failing test, such as a machine too busy, is no answer.
  if (outcome === undefined || outcome.end !== 'exited') return { noticed: undefined, output: outcome?.output ?? '' }
  return { noticed: failedTest(outcome.output), output: outcome.output }
}

/** The name of a test that forge says has failed. */
export function failedTest(output: string): string | undefined {
  // Between the two are the reason and, of an invariant, the calls that broke it.
  return /^\[FAIL[\s\S]*?\s(setUp|(?:test|invariant)\w+)\(/m.exec(output)?.[1]
}

async function judgeWholly(
  ws: Workspace,
  file: string,
  changed: string,
  tests: readonly MeasuredTest[],
): Promise<Verdict> {
  const source = ws.read(file)
  ws.write(file, changed)
  try {
    if (!(await contractsCompile(ws, TIMEOUT_MS))) return { kind: 'invalid' }
    for (const test of tests) {
      const timeoutMs = Math.max(TIMEOUT_MS, test.durationMs * USUAL_TIMES)
      const outcome = await runForge(ws, ['test', '--fail-fast', '--match-path', test.file], timeoutMs)
      const by = failedTest(outcome.output) ?? test.file
      if (outcome.end === 'timeout') return { kind: 'timeout', by }
      if (!passed(outcome)) return { kind: 'killed', by }
    }
    return { kind: 'survived', reached: true }
  } finally {
    ws.write(file, source)
    await contractsCompile(ws, TIMEOUT_MS)
  }
}
