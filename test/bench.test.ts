// engine: postgres
/** The benchmarks still run and say their numbers. How fast anything is, is no test's business; the others run in `npm run test:long`. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { SaxesParser } from 'saxes'
import { barChart } from '../bench/charts/bars.ts'
import { chartsOf } from '../bench/charts/of-results.ts'
import { ticks } from '../bench/charts/svg.ts'
import { GOALS, type GoalName, goalOf, isReached } from '../bench/goals.ts'
import { choose, PLAN } from '../bench/summary/plan.ts'
import { runAll } from '../bench/summary/run-all.ts'
import { summaryOf } from '../bench/summary/table.ts'
import { cpuUsOf, cpuUsOfFamily, metered } from '../bench/support/cpu.ts'
import { type Outcome, readOutcome } from '../bench/support/outcome.ts'
import { temporaryFolder } from './support/temp.ts'

const GOAL_NAMES = Object.keys(GOALS) as GoalName[]
/** Rows that npm test makes, with `writes`, which another test runs; what starts more servers, fills more tables or compiles contracts is left to test:long. */
const CHEAP = ['accept', 'read']

test('a quick run gives a number for each of its rows, a table and charts', { timeout: 600_000 }, async () => {
  const folder = temporaryFolder('bench')
  const args = ['--quick', '--results', folder, '--only', CHEAP.join(',')]
  const run = spawn(process.execPath, [path.join(import.meta.dirname, '../bench/run.ts'), ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const said = Promise.all([run.stdout.toArray(), run.stderr.toArray()])
  const [code] = (await once(run, 'close')) as [number | null]
  const output = (await said).flat().join('')
  assert.equal(code, 0, output)
  assert.match(output, /\[2\/2 read, .*\] round 1 of 1: constants /)
  for (const name of CHEAP) checkNumbers(name, readOutcome(name, folder))
  assert.match(readFileSync(path.join(folder, 'README.md'), 'utf8'), /\[accept\]\(accept\.md\)/)
  for (const name of ['goals', 'cpu', 'latency']) checkSvg(readFileSync(path.join(folder, `${name}.svg`), 'utf8'))
})

test('one that fails is told and stops no other', { timeout: 300_000 }, async () => {
  const folder = temporaryFolder('bench')
  const said: string[] = []
  const chosen = ['no-such-benchmark', 'writes'].map((name) => ({ name, args: [], seconds: 90 }))
  const [failed, measured] = await runAll(chosen, folder, (line) => said.push(line))
  assert.ok(failed !== undefined && 'failure' in failed)
  assert.match(failed.failure, /it ended with 1 and published nothing.*no-such-benchmark/s)
  assert.ok(measured !== undefined && 'outcome' in measured)
  checkNumbers('writes', readOutcome('writes', folder))
  assert.match(said[0] ?? '', /^\[1\/2 no-such-benchmark, about 3 min left\] begins/)
  assert.ok(
    said.some((line) => /^\[1\/2 .*FAILED/.test(line)),
    said.join('\n'),
  )
})

function checkNumbers(bench: string, outcome: Outcome | undefined): void {
  const goals = GOAL_NAMES.filter((goal) => goalOf(goal).bench === bench)
  assert.ok(goals.length > 0)
  for (const name of goals) assert.ok(Number.isFinite(outcome?.measured[name]), name)
  // Processor time is counted in steps of 10 ms, of which so short a run may see none.
  for (const [what, value] of Object.entries(outcome?.numbers ?? {}))
    assert.ok(what.endsWith('Us') ? value >= 0 : value > 0, `${bench}: ${what} ${value}`)
}

test('what is run: everything, what is chosen, or what is quick', () => {
  const all = choose({ only: [], quick: false, summary: false }, (name) => (name === 'accept' ? 7 : undefined))
  assert.deepEqual(
    all.chosen.map(({ name }) => name),
    PLAN.map(({ name }) => name),
  )
  assert.equal(all.chosen.find(({ name }) => name === 'accept')?.seconds, 7)
  assert.deepEqual(
    [...new Set(GOAL_NAMES.map((name) => goalOf(name).bench))].filter(
      (name) => !all.chosen.some((one) => one.name === name),
    ),
    [],
  )
  const quick = choose({ only: ['suite', 'read'], quick: true, summary: false }, () => undefined)
  assert.deepEqual([quick.chosen.map(({ name }) => name), quick.leftOut.map(({ name }) => name)], [['read'], ['suite']])
  assert.deepEqual(choose({ only: [], quick: false, summary: true }, () => undefined).chosen, [])
  assert.throws(() => choose({ only: ['reed'], quick: false, summary: false }, () => undefined), /reed/)
  for (const { name } of PLAN) assert.ok(existsSync(path.join(import.meta.dirname, `../bench/${name}.ts`)), name)
})

test('the summary has a row for each goal, reached, missed or not measured', () => {
  const reached = GOAL_NAMES.filter((name) => goalOf(name).bench !== 'memory' && name !== 'gasFresh')
  const outcomes = outcomesOf((name) => (reached.includes(name) ? goalOf(name).bound : 0.9))
  outcomes.delete('memory')
  const text = summaryOf(outcomes, [], { others: ['notify'], quick: false })
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .slice(2)
  assert.equal(rows.length, GOAL_NAMES.length)
  assert.deepEqual(
    rows.filter((row) => !row.includes('| reached |')).map((row) => /(not measured|\*\*missed\*\*)/.exec(row)?.[0]),
    ['**missed**', 'not measured'],
  )
  assert.match(text, new RegExp(`${GOAL_NAMES.length - 2} of ${GOAL_NAMES.length} goals are reached`))
  assert.match(text, /\[notify\]\(notify\.md\)/)
})

test('a goal is reached on its side of the bound, and by no number never', () => {
  for (const [atLeast, measured, expected] of [
    [true, 0.5, true],
    [true, 0.49, false],
    [false, 0.5, true],
    [false, 0.51, false],
    [true, Number.NaN, false],
    [false, Number.NaN, false],
  ] as const)
    assert.equal(isReached({ what: '', bound: 0.5, atLeast }, measured), expected)
})

test('charts of all results are well-formed and have a title, a description and every number', () => {
  const outcomes = outcomesOf((name) => goalOf(name).bound)
  const charts = chartsOf(outcomes)
  assert.deepEqual(
    charts.map(({ file }) => file),
    ['goals.svg', 'cpu.svg', 'latency.svg', 'wal.svg', 'memory.svg'],
  )
  for (const { svg } of charts) checkSvg(svg)
  for (const name of GOAL_NAMES) assert.ok(charts[0]?.svg.includes(`>${goalOf(name).short}<`), name)
  assert.deepEqual(chartsOf(new Map()), [])
})

test('bars end at the scale, and text is text', () => {
  const bar = { label: 'a < b & "c"', parts: [30, 10] }
  const svg = barChart({ title: 't', description: 'd', series: ['x', 'y'], bars: [bar], most: 20, format: String })
  assert.ok(svg.includes('a &lt; b &amp; &quot;c&quot;'))
  const widths = [...svg.matchAll(/<rect class="s[01]" x="[\d.]+" y="[\d.]+" width="([\d.]+)"/g)].map(([, width]) =>
    Number(width),
  )
  assert.deepEqual(widths.slice(-2), [390, 0])
  assert.throws(
    () =>
      barChart({
        title: 't',
        description: 'd',
        series: ['x'],
        bars: [{ label: 'l', parts: [Number.NaN] }],
        format: String,
      }),
    /no number/,
  )
  assert.deepEqual(
    [ticks(2), ticks(0.07), ticks(0), ticks(1_000_000)],
    [
      [0, 0.5, 1, 1.5, 2],
      [0, 0.02, 0.04, 0.06, 0.08],
      [0, 1],
      [0, 200_000, 400_000, 600_000, 800_000, 1_000_000],
    ],
  )
})

/** Enough that no clock that ticks a hundred times a second misses it. */
const BUSY = 'const end = process.cpuUsage().user + 200_000; while (process.cpuUsage().user < end);'

test('processor time is that of a process, or of a process with its living and its ended children', async () => {
  const meters = { own: () => cpuUsOf(process.pid), family: () => cpuUsOfFamily(process.pid) }
  const ended = await metered(meters, async () => execFileSync(process.execPath, ['-e', BUSY]))
  const both = await metered(meters, async () => {
    const child = spawn(process.execPath, ['-e', `${BUSY} console.log('done'); setInterval(() => {}, 1000)`])
    await once(child.stdout, 'data')
    return child
  })
  both.result.kill()
  await once(both.result, 'exit')
  for (const { cpuUs } of [ended, both]) assert.ok(cpuUs.family - cpuUs.own >= 190_000, JSON.stringify(cpuUs))
})

/** Made-up results of every benchmark of a row. */
function outcomesOf(measuredOf: (name: GoalName) => number): Map<string, Outcome> {
  const numbers = {
    apiUs: 100,
    postgresUs: 80,
    insertUs: 50,
    constantUs: 12,
    accepted: 2_000,
    settled: 1_900,
    p50Ms: 1,
    p99Ms: 5,
    halfP50Ms: 0.5,
    halfP99Ms: 2,
  }
  const names = [...new Set(GOAL_NAMES.map((name) => goalOf(name).bench))]
  return new Map(
    names.map((name) => [
      name,
      {
        name,
        title: name,
        command: '',
        date: '2026-11-22',
        at: '',
        commit: 'abc',
        machine: 'a machine',
        versions: {},
        loadBefore: 0,
        loadAfter: 0,
        seconds: 1,
        goals: [],
        numbers,
        rows: [
          ['orders', 'MB'],
          [0, 160],
          [1_000_000, 180],
          ['pages', 181],
        ],
        measured: Object.fromEntries(
          GOAL_NAMES.filter((goal) => goalOf(goal).bench === name).map((goal) => [goal, measuredOf(goal)]),
        ),
      },
    ]),
  )
}

/** Well-formed XML with a title and a description, for both themes, and no value that is none. */
function checkSvg(svg: string): void {
  const parser = new SaxesParser()
  const seen: string[] = []
  parser.on('opentag', ({ name }) => void seen.push(name))
  parser.on('error', (error) => assert.fail(error))
  parser.write(svg).close()
  assert.deepEqual(seen.slice(0, 3), ['svg', 'title', 'desc'])
  assert.ok(seen.filter((name) => name === 'text').length > 2)
  assert.match(svg, /prefers-color-scheme: dark/)
  assert.doesNotMatch(svg, /NaN|undefined|Infinity/)
}
