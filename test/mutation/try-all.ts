/** Tries mutants one after the other in each workspace, several workspaces at a time. */
import type { MeasuredTest } from './baseline.ts'
import { judge } from './judge.ts'
import type { Mutant } from './mutant.ts'
import type { Result } from './score.ts'
import type { Workspace } from './workspace.ts'

type Task = {
  spaces: readonly Workspace[]
  mutants: readonly Mutant[]
  testsOf: (mutant: Mutant) => readonly MeasuredTest[]
  postgresUrl: string | undefined
  /** Called after each mutant, with the number done so far. */
  tell: (result: Result, done: number, durationMs: number) => void
}

export async function tryAll({ spaces, mutants, testsOf, postgresUrl, tell }: Task): Promise<Result[]> {
  const waiting = [...mutants]
  const results: Result[] = []
  const work = async (space: Workspace): Promise<void> => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const began = performance.now()
      const result: Result = { mutant, verdict: await judge(space, mutant, testsOf(mutant), postgresUrl) }
      results.push(result)
      tell(result, results.length, performance.now() - began)
    }
  }
  await Promise.all(spaces.map(work))
  return results
}
