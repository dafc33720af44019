/** The rules for Prometheus (docs/samples/alarms.yaml) are the alarms of docs/OPERATIONS.md, and ask for what the service shows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { parseDocument } from 'yaml'
import { ROLES } from '../../src/config/types.ts'
import { createMetrics } from '../../src/metrics/metrics.ts'
import { everyMetric } from '../support/every-metric.ts'

const DOCS = path.join(import.meta.dirname, '../../docs')
const operations = readFileSync(path.join(DOCS, 'OPERATIONS.md'), 'utf8')

type Rule = { alert: string; expr: string; for?: string; annotations: Record<'summary' | 'runbook', string> }

const rules: Rule[] = (() => {
  const file = parseDocument(readFileSync(path.join(DOCS, 'samples/alarms.yaml'), 'utf8'), { strict: true })
  assert.deepEqual([...file.errors, ...file.warnings], [])
  return (file.toJS() as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules)
})()

/** The rows of the table: the name, the condition, how long it must last, and the first runbook that is named. */
const rows = (operations.split('| alarm | when | runbook |\n|---|---|---|\n')[1] ?? '')
  .split('\n\n')[0]
  ?.split('\n')
  .map((line) => {
    const [, title = '', when = '', runbook = ''] = line.split('|').map((cell) => cell.trim())
    const minutes = /^`[^`]+`(?: \([^)]*\))? for (\d+) minutes?/.exec(when)?.[1]
    return {
      alert: title.replace("'", '').replace(/(?:^| )(\w)/g, (_, letter: string) => letter.toUpperCase()),
      expr: /^`([^`]+)`/.exec(when)?.[1] ?? '',
      for: minutes && `${minutes}m`,
      leadsTo: /\]\(([^)]+)\)/
        .exec(runbook)?.[1]
        ?.replace(/^(?=#)/, 'OPERATIONS.md')
        .replace(/^/, 'docs/'),
    }
  })

/** A counter of a process that began with an event was never read at zero: then its first value is the increase. */
function withNew(expr: string): string {
  const counter = /^increase\((.+)\[1h\]\) > 0$/.exec(expr)?.[1]
  return counter === undefined ? expr : `${expr} or (max_over_time(${counter}[1h]) unless ${counter} offset 1h) > 0`
}

/** The labels of each metric, as Prometheus has them. */
const labelsOf = (() => {
  const metrics = everyMetric()
  const all = metrics.registry.getMetricsAsArray() as unknown as { name: string; labelNames: readonly string[] }[]
  const own = ['instance', 'job']
  const shown = new Map(all.map(({ name, labelNames }) => [name, [...labelNames, ...own]]))
  // Node's own, which only Linux shows.
  for (const name of ['up', 'process_open_fds', 'process_max_fds']) shown.set(name, own)
  return (name: string) => shown.get(name) ?? shown.get(name.replace(/_count$/, ''))
})()

/** The metrics of a condition with the labels that it chooses them by. */
function selectorsOf(expr: string): { name: string; labels: string[] }[] {
  const words =
    /\bby \([^)]*\)|\[[^\]]*\]|\boffset \w+|\b(?:or|and|unless|max|min|sum|delta|rate|increase|changes|absent|\w+_over_time)\b/g
  const found = expr.replace(words, ' ').matchAll(/([a-z_]{2,})(?:\{([^}]*)\})?/g)
  return [...found].map(([, name = '', chosen = '']) => ({
    name,
    labels: [...chosen.matchAll(/(\w+)(?:=|!=|=~|!~)"/g)].map(([, label = '']) => label),
  }))
}

test('the rules are the rows of the table: the same names, conditions and times, in the same order', () => {
  assert.ok(rules.length > 25)
  assert.deepEqual(
    rules.map((rule) => ({
      alert: rule.alert,
      expr: rule.expr,
      for: rule.for,
      leadsTo: rule.annotations.runbook,
    })),
    rows?.map((row) => ({ ...row, expr: withNew(row.expr) })),
  )
})

test('what happens once is told also where it is the first that a process has done', () => {
  // What is counted anew while its cause lasts is told by the second time.
  const again = /^sum\(increase\((?:payout_burns_total\{result="unknown"\}|webhook_secrets_unopened_total)\[/
  const once = rules.filter(({ expr }) => /^(?:sum\()?increase\([^)]*\)\)? > 0/.test(expr) && !again.test(expr))
  assert.ok(once.length > 6)
  for (const { alert, expr } of once) assert.match(expr, / unless \S+ offset 1h\) > 0$/, alert)
})

test('rules ask for metrics and labels that the service has', () => {
  for (const { alert, expr } of rules) {
    const selectors = selectorsOf(expr)
    assert.ok(selectors.length > 0, alert)
    for (const { name, labels } of selectors) {
      const known = labelsOf(name)
      assert.ok(known, `${alert}: ${name}`)
      for (const label of labels) assert.ok(known.includes(label), `${alert}: ${name}{${label}}`)
    }
  }
})

test('rules name what is wrong: each label in a summary is left by the condition', () => {
  for (const { alert, expr, annotations } of rules) {
    const asked = [...annotations.summary.matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label)
    const kept = /^(?:sum|min|max|delta)\b/.test(expr)
      ? (/^(?:sum|min|max) by \(([^)]*)\)/.exec(expr)?.[1] ?? '').split(', ')
      : labelsOf(selectorsOf(expr)[0]?.name ?? '')
    for (const label of asked) assert.ok(kept?.includes(label), `${alert}: ${label}`)
  }
})

test('of every role it is missed when no process has it, as each process shows its own', async () => {
  const missed = rules.find(({ alert }) => alert === 'NoProcessHasARole')?.expr.split(' or ')
  assert.deepEqual(
    missed,
    ROLES.map((role) => `absent(process_role{role="${role}"})`),
  )
  const metrics = createMetrics()
  metrics.showRoles(['api', 'courier'])
  const shown = (await metrics.registry.metrics()).split('\n').filter((line) => line.startsWith('process_role{'))
  assert.deepEqual(shown, ['process_role{role="api"} 1', 'process_role{role="courier"} 1'])
})

test('every counter that an alarm waits for is there before it counts anything', async () => {
  const metrics = createMetrics()
  metrics.settlement.leading(1, false)
  const lines = (await metrics.registry.metrics()).split('\n')
  const counters = rules.flatMap(({ expr }) => /^(?:sum\()?increase\((\w+)/.exec(expr)?.[1] ?? [])
  assert.ok(counters.length > 6)
  for (const name of counters) {
    const series = lines.filter((line) => line.startsWith(name))
    assert.ok(series.length > 0, name)
    for (const line of series) assert.match(line, / 0$/)
  }
})
