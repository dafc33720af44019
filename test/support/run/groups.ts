/**
 * Which test files run in one process. Starting Node and loading hundreds of modules costs more than most files do
 * afterwards; files of one room, or of small ones, share the modules, and nothing else.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { reaches } from '../imports.ts'
import { slotsOf } from './select.ts'

/** Enough to share what is dear, few enough that a group is no longer than the longest files, and that what one keeps does no harm. */
const MOST = 30
/** Of `src`, where most take a tenth of a second. */
const MOST_UNITS = 24
/** Rooms that have no more than this share processes with one another. */
const SMALL = 7
/** A file with a chain of its own waits for blocks, and takes as long as two; one that looks at pages as long as six. */
const WEIGHTS: Readonly<Record<string, number>> = { 'test/support/anvil.ts': 2, 'test/support/browser.ts': 6 }
/** What changes the process, or the whole of Node, for whoever comes after. */
const ALONE = /\bprocess\.|node:process|\bmock\b|\bglobalThis\b|child_process|worker_threads|\/(month|sandbox)\//
/** A process of its own, which some suites leave to the end of the test's. */
const STARTER = 'contracts/tools/anvil.ts'

/** Each file in one group, in the order of the first of each. @param files absolute paths */
export function groupsOf(root: string, files: readonly string[]): string[][] {
  const groups: string[][] = []
  const open = new Map<string, { files: string[]; weight: number }>()
  const known = files.map((file) => ({
    file,
    room: roomOf(path.relative(root, file)),
    shares: sharesProcess(root, file),
    weight: weightOf(root, file),
  }))
  const weights = new Map<string, number>()
  for (const { room, shares, weight } of known) if (shares) weights.set(room, (weights.get(room) ?? 0) + weight)
  for (const { file, room, shares, weight } of known) {
    const isUnit = room === 'src'
    const name = !isUnit && (weights.get(room) ?? 0) <= SMALL ? 'small rooms' : room
    const last = open.get(name)
    if (!shares) groups.push([file])
    else if (last !== undefined && last.weight + weight <= (isUnit ? MOST_UNITS : MOST)) {
      last.files.push(file)
      last.weight += weight
    } else {
      const begun = { files: [file], weight }
      open.set(name, begun)
      groups.push(begun.files)
    }
  }
  return groups
}

/** `src`, or a folder of test/: files there load much the same. */
function roomOf(file: string): string {
  const [top, folder] = file.split(path.sep)
  return top === 'test' && folder !== undefined && !folder.endsWith('.ts') ? `test/${folder}` : (top ?? '')
}

/** What takes several places of a run would keep them while the others of its group go on. */
function sharesProcess(root: string, file: string): boolean {
  if (slotsOf(path.relative(root, file)) > 1 || ALONE.test(readFileSync(file, 'utf8'))) return false
  return !reaches(file, path.join(root, STARTER))
}

function weightOf(root: string, file: string): number {
  const found = Object.entries(WEIGHTS).map(([module, weight]) => (reaches(file, path.join(root, module)) ? weight : 1))
  return Math.max(...found)
}
