/** Mutants that behave like the original, each with the reason, so that nobody looks for a test that cannot exist. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { idOf, type Mutant, type MutantKey } from './mutant.ts'

/** `nth` only where several mutants are alike in everything else. */
export type Equivalent = Omit<MutantKey, 'nth'> & { nth?: number; reason: string }

const FILE = 'test/mutation/equivalent.json'

export function readEquivalents(root: string): Equivalent[] {
  return JSON.parse(readFileSync(path.join(root, FILE), 'utf8')) as Equivalent[]
}

/** Id → reason. */
export function reasonsOf(equivalents: readonly Equivalent[]): Map<string, string> {
  return new Map(equivalents.map((entry) => [idOf({ nth: 0, ...entry }), entry.reason]))
}

/** What is wrong with the list: entries that fit no mutant, or no longer do, and entries without a reason. */
export function faultsOf(equivalents: readonly Equivalent[], mutants: readonly Mutant[]): string[] {
  const ids = new Set(mutants.map(({ id }) => id))
  return equivalents.flatMap((entry) => {
    const name = `${entry.file}: ${entry.operator} on ${JSON.stringify(entry.lineText)}`
    if (!ids.has(idOf({ nth: 0, ...entry }))) return [`${FILE}: stale, fits no mutant: ${name}`]
    return entry.reason.trim() === '' ? [`${FILE}: no reason: ${name}`] : []
  })
}

/** A survivor as an entry of the list, its reason still to be written. */
export function toEntry({ file, operator, lineText, original, replacement, nth }: Mutant): Equivalent {
  return { file, operator, lineText, original, replacement, ...(nth > 0 ? { nth } : {}), reason: '' }
}
