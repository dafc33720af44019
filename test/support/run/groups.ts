/**
 * Which test files run in one process. Starting Node and loading hundreds of modules costs more than most files do
 * afterwards; files of one room share the modules, and nothing else.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { reaches } from '../imports.ts'

/** Enough to share what is dear, few enough that a group is no longer than the longest files, and that what one keeps does no harm. */
const MOST = 14
/** Of `src`, where most take a tenth of a second. */
const MOST_UNITS = 24
/** A file with a chain of its own waits for blocks, and takes as long as two. */
const CHAIN = 'test/support/anvil.ts'
/** What changes the process, or the whole of Node, for whoever comes after. */
const ALONE = /\bprocess\.|node:process|\bmock\b|\bglobalThis\b|child_process|worker_threads|\/(month|sandbox)\//
/** Processes of their own, which some suites leave to the end of the test's. */
const STARTERS = ['contracts/tools/anvil.ts', 'test/support/browser.ts']

/** Each file in one group, in the order of the first of each. @param files absolute paths */
export function groupsOf(root: string, files: readonly string[]): string[][] {
  const groups: string[][] = []
  const open = new Map<string, { files: string[]; weight: number }>()
  for (const file of files) {
    const room = roomOf(path.relative(root, file))
    const last = open.get(room)
    const weight = reaches(file, path.join(root, CHAIN)) ? 2 : 1
    if (!sharesProcess(root, file)) groups.push([file])
    else if (last !== undefined && last.weight + weight <= (room === 'src' ? MOST_UNITS : MOST)) {
      last.files.push(file)
      last.weight += weight
    } else {
      const begun = { files: [file], weight }
      open.set(room, begun)
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

function sharesProcess(root: string, file: string): boolean {
  return !ALONE.test(readFileSync(file, 'utf8')) && !STARTERS.some((starter) => reaches(file, path.join(root, starter)))
}
