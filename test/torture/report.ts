/** What a run says while it goes on, and at its end. */
import { isAcknowledged } from './judge/cases.ts'
import type { Attempt, Evidence, Violation } from './judge/evidence.ts'
import type { Load } from './load/load.ts'

const SHOWN_OF_A_RULE = 8

export type Summary = {
  seed: string
  seconds: number
  faults: Record<string, number>
  orders: Record<string, number>
  answers: Record<string, number>
  latencyMs: Record<string, number>
  /** From the first answered request of an order to the first webhook about its end. */
  completionMs: Record<string, number>
  /** The same of redeems alone, which also wait for a bank and, where it refuses, for a person. */
  redeemedMs: Record<string, number>
  movements: number
  payments: number
  hooks: number
  violations: number
}

/** One line while the load goes on. */
export function progressLine({ intents, attempts }: Load, secondsPassed: number, faults: number): string {
  const failing = attempts.filter(({ status }) => status === 0 || status >= 500).length
  const { p50, p95 } = percentiles(attempts.slice(-500).filter(isAcknowledged).map(durationOf))
  return `[${secondsPassed.toFixed(0).padStart(4)} s] ${intents.length} orders · ${attempts.length} requests, ${failing} without a decision · ${faults} faults · last 500: p50 ${p50} ms, p95 ${p95} ms`
}

export function summarise(
  evidence: Evidence,
  violations: readonly Violation[],
  run: { seed: string; seconds: number; faults: readonly { name: string }[]; endedAtMs: ReadonlyMap<string, number> },
): Summary {
  const { orders, attempts, chain, bank, hooks } = evidence
  return {
    seed: run.seed,
    seconds: Math.round(run.seconds),
    faults: countBy(run.faults, ({ name }) => name),
    orders: countBy(orders, ({ direction, status }) => `${direction} ${status}`),
    answers: countBy(attempts, ({ status, code }) => (status === 0 ? 'no answer' : `${status} ${code}`.trim())),
    latencyMs: percentiles(
      attempts.filter(({ purpose, status }) => purpose === 'create' && status === 201).map(durationOf),
    ),
    completionMs: percentiles(completionTimes(attempts, run.endedAtMs)),
    redeemedMs: percentiles(completionTimes(attempts, redeemsOf(orders, run.endedAtMs))),
    movements: chain.movements.length,
    payments: bank.payments.length,
    hooks: hooks.length,
    violations: violations.length,
  }
}

/** The summary and the violations, for people. */
export function describe(summary: Summary, violations: readonly Violation[]): string {
  const { seed, seconds, faults, orders, answers, latencyMs, completionMs, redeemedMs, movements, payments, hooks } =
    summary
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ')
  return [
    `seed ${seed}, ${seconds} s`,
    `faults      ${list(faults)}`,
    `orders      ${list(orders)}`,
    `answers     ${list(answers)}`,
    `POST ms     ${list(latencyMs)}`,
    `to end, ms  ${list(completionMs)}`,
    `… redeems   ${list(redeemedMs)}`,
    `evidence    ${movements} movements on chain, ${payments} payments, ${hooks} webhook posts`,
    `violations  ${violations.length}`,
    ...[...Map.groupBy(violations, ({ rule }) => rule)].flatMap(([rule, same]) => [
      `  ${rule}: ${same.length}`,
      ...same.slice(0, SHOWN_OF_A_RULE).map(({ subject, message }) => `    ${subject}: ${message}`),
    ]),
  ].join('\n')
}

function redeemsOf(orders: Evidence['orders'], endedAtMs: ReadonlyMap<string, number>): Map<string, number> {
  const redeems = new Set(orders.filter(({ direction }) => direction === 'REDEEM').map(({ reference }) => reference))
  return new Map([...endedAtMs].filter(([reference]) => redeems.has(reference)))
}

function completionTimes(attempts: readonly Attempt[], endedAtMs: ReadonlyMap<string, number>): number[] {
  const begun = new Map<string, number>()
  for (const { reference, startedMs, purpose } of attempts) {
    if (purpose === 'confirm' || !begun.has(reference)) begun.set(reference, startedMs)
  }
  return [...endedAtMs].flatMap(([reference, endedMs]) => {
    const startedMs = begun.get(reference)
    return startedMs === undefined ? [] : [endedMs - startedMs]
  })
}

const durationOf = ({ startedMs, endedMs }: Attempt): number => endedMs - startedMs

function percentiles(values: readonly number[]): { p50: number; p95: number; p99: number; max: number } {
  const sorted = [...values].sort((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0)
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) }
}

function countBy<T>(items: readonly T[], nameOf: (item: T) => string): Record<string, number> {
  const counts = Map.groupBy(items, nameOf)
  return Object.fromEntries([...counts].map(([name, list]) => [name, list.length] as const).sort())
}
