/** The summary of all recorded results: one row for each number to reach. Pure. */
import { describeGoal, GOALS, type GoalName, goalOf, isReached } from '../goals.ts'
import type { Outcome } from '../support/outcome.ts'
import { round, tableOf } from '../support/report.ts'

const HEAD = ['what', 'against', 'goal', 'measured', '', 'date', 'commit', 'machine', 'result']
const VERDICT = HEAD.indexOf('')

export type Charted = { file: string; title: string; description: string }

/**
 * The text of bench/results/README.md.
 * @param outcomes by the benchmark's name
 * @param more.others results outside of the table: file names without `.md`
 * @param more.quick true: none of it is a measurement
 */
export function summaryOf(
  outcomes: ReadonlyMap<string, Outcome>,
  charts: readonly Charted[],
  { others, quick }: { others: readonly string[]; quick: boolean },
): string {
  const names = Object.keys(GOALS) as GoalName[]
  const rows = names.map((name) => rowOf(name, outcomes.get(goalOf(name).bench)))
  const reached = rows.filter((row) => row[VERDICT] === 'reached').length
  return [
    '# What is measured',
    '',
    `Written by \`npm run bench\`, which runs all of these one after another (about fifty minutes; \`--only accept,read\` some of them,`,
    '`--quick` only shows that they work). Ratios are of both sides in turn in one run on one machine, with durable commits, medians of the rounds.',
    quick
      ? '**Of a quick run, with sizes so small that its numbers say nothing but that there are some.**'
      : `${reached} of ${rows.length} goals are reached.`,
    '',
    tableOf([HEAD, ...rows]),
    '',
    ...charts.flatMap(({ file, title, description }) => [`## ${title}`, '', `![${description}](${file})`, '']),
    '## Other measurements',
    '',
    others.map((name) => `[${name}](${name}.md)`).join(', '),
    '',
  ].join('\n')
}

function rowOf(name: GoalName, outcome: Outcome | undefined): string[] {
  const goal = goalOf(name)
  const measured = outcome?.measured[name]
  const intended = [goal.what, goal.against ?? '', describeGoal(goal)]
  if (outcome === undefined || measured === undefined || measured === null) {
    return [...intended, '', 'not measured', '', '', '', '']
  }
  return [
    ...intended,
    round(measured),
    isReached(goal, measured) ? 'reached' : '**missed**',
    outcome.date,
    outcome.commit,
    outcome.machine,
    `[${outcome.name}](${outcome.name}.md)`,
  ]
}
