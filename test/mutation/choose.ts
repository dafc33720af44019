/** Which mutants of a room are tried. */
import { createHash } from 'node:crypto'
import type { Mutant } from './mutant.ts'

export type Choice = {
  /** Parts of file names; empty: all. */
  files: readonly string[]
  /** Empty: all. */
  ids: readonly string[]
  /** Undefined: all. */
  sample: number | undefined
  seed: string
}

/** The same seed chooses the same mutants, even when others come or go. */
export function choose(mutants: readonly Mutant[], { files, ids, sample, seed }: Choice): Mutant[] {
  const wanted = mutants
    .filter(({ file }) => files.length === 0 || files.some((part) => file.includes(part)))
    .filter(({ id }) => ids.length === 0 || ids.includes(id))
  if (sample === undefined) return wanted
  const drawn = new Set(
    wanted
      .map(({ id }) => ({ id, lot: createHash('sha256').update(`${seed} ${id}`).digest('hex') }))
      .sort((a, b) => (a.lot < b.lot ? -1 : 1))
      .slice(0, sample)
      .map(({ id }) => id),
  )
  return wanted.filter(({ id }) => drawn.has(id))
}
