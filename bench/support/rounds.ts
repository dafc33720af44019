/** Rounds of a benchmark, each with the same numbers. */
import type { Cell } from './outcome.ts'
import { median } from './report.ts'

/** The median of each number. */
export function medians<Name extends string>(rounds: readonly Readonly<Record<Name, number>>[]): Record<Name, number> {
  const names = Object.keys(rounds[0] ?? {}) as Name[]
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((one) => one[name]))])) as Record<Name, number>
}

/**
 * A table with a line for each round, and their medians.
 * @param columns what a number is called
 */
export function roundsTable<Name extends string>(
  columns: Readonly<Partial<Record<Name, string>>>,
  rounds: readonly Readonly<Record<Name, number>>[],
): Cell[][] {
  const names = Object.keys(columns) as Name[]
  const line = (label: Cell, numbers: Readonly<Record<Name, number>>) => [label, ...names.map((name) => numbers[name])]
  return [
    ['round', ...names.map((name) => columns[name] ?? name)],
    ...rounds.map((numbers, index) => line(index + 1, numbers)),
    line('median', medians(rounds)),
  ]
}
