/** Counts verdicts, and keeps the counts in docs/RELIABILITY.md. */
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutant.ts'

/** What became of a mutant; `equivalent` ones are not tried. */
export type Result = { mutant: Mutant; verdict: Verdict | { kind: 'equivalent'; reason: string } }

export type Score = {
  room: string
  killed: number
  timeout: number
  survived: number
  equivalent: number
  /** Refused by the compiler: not counted. */
  invalid: number
}

export function scoresOf(results: readonly Result[]): Score[] {
  const scores = new Map<string, Score>()
  for (const { mutant, verdict } of results) {
    const { room } = mutant
    const score = scores.get(room) ?? { room, killed: 0, timeout: 0, survived: 0, equivalent: 0, invalid: 0 }
    score[verdict.kind] += 1
    scores.set(room, score)
  }
  return [...scores.values()]
}

/** The percentage noticed, of the mutants that a test could notice; 100 when there are none. */
export function percentOf({ killed, timeout, survived }: Omit<Score, 'room'>): number {
  const tried = killed + timeout + survived
  return tried === 0 ? 100 : ((killed + timeout) / tried) * 100
}

export function describeScore(score: Score): string {
  const { room, killed, timeout, survived, equivalent, invalid } = score
  const counts = `${killed} killed, ${timeout} timed out, ${survived} survived, ${equivalent} equivalent`
  return `${room.padEnd(12)} ${percentOf(score).toFixed(1).padStart(5)} %  ${counts} (${invalid} did not compile)`
}

const BEGIN = '<!-- mutation score: written by npm run mutate -- --record -->'
const END = '<!-- end of mutation score -->'

/**
 * Puts the scores into the table of the document; rooms that were not run keep their line.
 * @param how how the mutants were chosen, such as `all` or `sample 20, seed 1`
 * @throws Error when the document has no place for the table
 */
export function recordScores(document: string, scores: readonly Score[], how: string): string {
  const begin = document.indexOf(BEGIN)
  const end = document.indexOf(END)
  if (begin === -1 || end < begin) throw new Error('docs/RELIABILITY.md has no place for the mutation score')
  const rows = new Map<string, string>()
  for (const line of document.slice(begin, end).split('\n')) {
    const room = /^\| ([a-z]+) \|/.exec(line)?.[1]
    if (room !== undefined && room !== 'room') rows.set(room, line)
  }
  for (const score of scores) {
    const { room, killed, timeout, survived, equivalent } = score
    const cells = [room, how, killed, timeout, survived, equivalent, `${percentOf(score).toFixed(1)} %`]
    rows.set(room, `| ${cells.join(' | ')} |`)
  }
  const table = [
    '| room | mutants | killed | timed out | survived | equivalent | noticed |',
    '|---|---|---:|---:|---:|---:|---:|',
    ...rows.values(),
  ]
  return `${document.slice(0, begin)}${BEGIN}\n\n${table.join('\n')}\n\n${document.slice(end)}`
}
