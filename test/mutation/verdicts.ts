/** Verdicts of earlier runs, so that an interrupted run can continue and only survivors are tried again. */
import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { Verdict } from './judge.ts'
import type { Result } from './score.ts'

export type Verdicts = {
  /** Id → the last verdict, without survivors. */
  known(): Map<string, Verdict>
  add(result: Result): void
  forget(): void
}

/** @param folder where they are kept, one file for each room */
export function openVerdicts(folder: string, room: string): Verdicts {
  const file = path.join(folder, `${room}.jsonl`)
  return {
    known() {
      const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []
      const all = lines
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as { id: string; verdict: Verdict })
      return new Map(all.filter(({ verdict }) => verdict.kind !== 'survived').map(({ id, verdict }) => [id, verdict]))
    },
    add({ mutant: { id }, verdict }) {
      mkdirSync(folder, { recursive: true })
      appendFileSync(file, `${JSON.stringify({ id, verdict })}\n`)
    },
    forget: () => rmSync(file, { force: true }),
  }
}
