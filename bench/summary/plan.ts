/** What `npm run bench` runs, in this order, and how small `--quick` makes it. */

export type Planned = {
  name: string
  /** About how long it takes, until a recorded result says it. */
  seconds: number
  /** Arguments of a run that only shows that it works, or why there is none. */
  quick: readonly string[] | { leftOut: string }
}

export const PLAN: readonly Planned[] = [
  // First, because it wants docs/SCALING.md to follow from the results that are recorded.
  { name: 'suite', seconds: 700, quick: { leftOut: 'it is all of npm test' } },
  { name: 'gas', seconds: 20, quick: [] },
  { name: 'writes', seconds: 5, quick: [] },
  { name: 'wal', seconds: 40, quick: ['--orders', '60'] },
  { name: 'rows', seconds: 150, quick: ['--batches', '1'] },
  { name: 'accept', seconds: 160, quick: ['--rounds', '1', '--seconds', '0.3', '--connections', '4'] },
  { name: 'read', seconds: 125, quick: ['--rounds', '1', '--seconds', '0.3', '--connections', '4', '--orders', '50'] },
  {
    name: 'transfers',
    seconds: 100,
    quick: ['--rounds', '1', '--seconds', '0.3', '--callers', '8', '--wallets', '20'],
  },
  { name: 'webhooks', seconds: 120, quick: ['--rounds', '1', '--deliveries', '64'] },
  { name: 'list', seconds: 240, quick: ['--rounds', '1', '--seconds', '0.1', '--orders', '2000'] },
  { name: 'reconcile', seconds: 120, quick: ['--rounds', '1', '--orders', '2000'] },
  { name: 'settlement', seconds: 600, quick: { leftOut: 'its chains make blocks for minutes' } },
  { name: 'rpc', seconds: 90, quick: { leftOut: 'its chain makes blocks for a minute' } },
  { name: 'memory', seconds: 400, quick: ['--orders', '20', '--seconds', '0.3'] },
  { name: 'start', seconds: 40, quick: { leftOut: 'a first start takes ten seconds of a core' } },
]

export type Chosen = { name: string; args: readonly string[]; seconds: number }
export type Choice = { chosen: Chosen[]; leftOut: { name: string; why: string }[] }

/**
 * What is run, and what a quick run leaves out.
 * @param which.only names; empty: all
 * @param which.summary true: none, because only the summary is written
 * @param took how long one took when it was recorded
 * @throws Error that names what does not exist
 */
export function choose(
  { only, quick, summary }: { only: readonly string[]; quick: boolean; summary: boolean },
  took: (name: string) => number | undefined,
): Choice {
  const unknown = only.filter((name) => PLAN.every((planned) => planned.name !== name))
  if (unknown.length > 0)
    throw new Error(`${unknown.join(', ')}: no row of the summary comes from a benchmark of that name`)
  const choice: Choice = { chosen: [], leftOut: [] }
  if (summary) return choice
  for (const { name, seconds, quick: small } of PLAN) {
    if (only.length > 0 && !only.includes(name)) continue
    if (!quick) choice.chosen.push({ name, args: [], seconds: took(name) ?? seconds })
    else if ('leftOut' in small) choice.leftOut.push({ name, why: small.leftOut })
    else choice.chosen.push({ name, args: small, seconds: 5 })
  }
  return choice
}
