/** Tries one mutant: do its tests notice? */
import { type MeasuredTest, nameOf } from './baseline.ts'
import { reaches } from './coverage.ts'
import { judgeContract } from './judge-contract.ts'
import { applyEdit, type Mutant } from './mutant.ts'
import { passed, runTest } from './tests.ts'
import type { Workspace } from './workspace.ts'

export type Verdict =
  /** A test failed. */
  | { kind: 'killed'; by: string }
  /** A test took several times its usual time: the fault was noticed, but the test says little about it. */
  | { kind: 'timeout'; by: string }
  /** `reached` false: no test runs that place, as far as the counters show. */
  | { kind: 'survived'; reached: boolean }
  /** The compiler refuses it. */
  | { kind: 'invalid' }

const LEAST_TIMEOUT_MS = 45_000
const USUAL_TIMES = 5

/** Restores the file whatever happens. */
export async function judge(
  ws: Workspace,
  mutant: Mutant,
  tests: readonly MeasuredTest[],
  postgresUrl: string | undefined,
): Promise<Verdict> {
  const source = ws.read(mutant.file)
  const changed = applyEdit(source, mutant)
  if (mutant.file.endsWith('.sol')) return await judgeContract(ws, mutant.file, changed, tests)
  if (!isSql(mutant) && !(await (await ws.types()).accepts(mutant.file, changed))) return { kind: 'invalid' }
  ws.write(mutant.file, changed)
  try {
    const reaching = tests.filter(({ coverage }) => reaches(coverage, mutant.file, mutant.start))
    // Killed processes leave no counters, so when no test seems to reach the place, all are tried.
    const asked = reaching.length === 0 ? tests : reaching
    for (const test of [...asked].sort((a, b) => a.durationMs - b.durationMs)) {
      const timeoutMs = Math.max(LEAST_TIMEOUT_MS, test.durationMs * USUAL_TIMES)
      if (passed(await runTest(ws, test, { timeoutMs, postgresUrl }))) continue
      // On a busy machine a test may fail or be late once for its timing, but hardly twice.
      const again = await runTest(ws, test, { timeoutMs: 2 * timeoutMs, postgresUrl })
      if (!passed(again)) return { kind: again.end === 'timeout' ? 'timeout' : 'killed', by: nameOf(test) }
    }
    return { kind: 'survived', reached: reaching.length > 0 }
  } finally {
    ws.write(mutant.file, source)
    ws.sweep()
  }
}

/** SQL is a string, and a changed string cannot break a type. */
function isSql({ operator }: Mutant): boolean {
  return operator.startsWith('sql-')
}
