/** One small fault that could be made in the source, and the name by which it is known from run to run. */
import { createHash } from 'node:crypto'

/** Replaces the characters from `start` up to `end`. */
export type Edit = { operator: string; start: number; end: number; replacement: string }

export type Mutant = Edit & {
  id: string
  room: string
  /** Path from the root of the project. */
  file: string
  /** 1-based. */
  line: number
  /** The line on which the edit begins, without its indentation. */
  lineText: string
  original: string
  /** 0 for the first of several mutants that are alike in all other fields, 1 for the second … */
  nth: number
}

/** What identifies a mutant; it stays the same when other lines of the file change. */
export type MutantKey = Pick<Mutant, 'file' | 'operator' | 'lineText' | 'original' | 'replacement' | 'nth'>

export function idOf({ file, operator, lineText, original, replacement, nth }: MutantKey): string {
  const key = JSON.stringify([file, operator, lineText, original, replacement, nth])
  return createHash('sha256').update(key).digest('hex').slice(0, 10)
}

/** Names the edits of one file. Edits that change nothing, or the same as another edit, are left out. */
export function nameMutants(room: string, file: string, source: string, edits: readonly Edit[]): Mutant[] {
  const seenChanges = new Set<string>()
  const seenIds = new Set<string>()
  const mutants: Mutant[] = []
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    const original = source.slice(edit.start, edit.end)
    const change = `${edit.start}:${edit.end}:${edit.replacement}`
    if (original === edit.replacement || seenChanges.has(change)) continue
    seenChanges.add(change)
    const lineStart = source.lastIndexOf('\n', edit.start - 1) + 1
    const lineEnd = source.indexOf('\n', edit.start)
    const lineText = source.slice(lineStart, lineEnd === -1 ? undefined : lineEnd).trim()
    const line = source.slice(0, edit.start).split('\n').length
    let key = { file, operator: edit.operator, lineText, original, replacement: edit.replacement, nth: 0 }
    while (seenIds.has(idOf(key))) key = { ...key, nth: key.nth + 1 }
    seenIds.add(idOf(key))
    mutants.push({ ...edit, ...key, room, line, id: idOf(key) })
  }
  return mutants
}

export function applyEdit(source: string, { start, end, replacement }: Edit): string {
  return source.slice(0, start) + replacement + source.slice(end)
}

/** The lines that differ, as `- before` and `+ after`. */
export function describeChange(source: string, edit: Edit): string {
  const before = source.split('\n')
  const after = applyEdit(source, edit).split('\n')
  let from = 0
  while (from < before.length && before[from] === after[from]) from += 1
  let back = 0
  while (back < Math.min(before.length, after.length) - from && before.at(-1 - back) === after.at(-1 - back)) back += 1
  return [
    ...before.slice(from, before.length - back).map((line) => `- ${line.trim()}`),
    ...after.slice(from, after.length - back).map((line) => `+ ${line.trim()}`),
  ].join('\n')
}
