/** Writes the summary and the charts beside the results that they are of. */
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { chartsOf } from '../charts/of-results.ts'
import { GOALS } from '../goals.ts'
import { type Outcome, readOutcome } from '../support/outcome.ts'
import { summaryOf } from './table.ts'

/** @param quick whether the results are of a quick run @returns the summary's text */
export function writeSummary(folder: string, quick: boolean): string {
  const files = readdirSync(folder)
  const named = (ending: string) =>
    files.filter((file) => file.endsWith(ending)).map((file) => path.basename(file, ending))
  const outcomes = new Map(
    named('.json').flatMap((name): [string, Outcome][] => {
      const outcome = readOutcome(name, folder)
      return outcome === undefined ? [] : [[name, outcome]]
    }),
  )
  const ofRows = new Set<string>(Object.values(GOALS).map(({ bench }) => bench))
  const others = named('.md').filter((name) => name !== 'README' && !ofRows.has(name))
  const charts = chartsOf(outcomes)
  for (const name of named('.svg')) rmSync(path.join(folder, `${name}.svg`))
  for (const { file, svg } of charts) writeFileSync(path.join(folder, file), svg)
  const text = summaryOf(outcomes, charts, { others, quick })
  writeFileSync(path.join(folder, 'README.md'), text)
  return text
}
