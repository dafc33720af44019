/** Which parts of which file a test file runs, from the engine's own counters. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Range = { startOffset: number; endOffset: number; count: number }
type Report = { result: { url: string; functions: { ranges: Range[] }[] }[] }

/** File (path from the root) → the counters of each process that loaded it. */
export type Coverage = ReadonlyMap<string, readonly (readonly Range[])[]>

/** Reads and removes what the processes of a test file wrote to `folder` (NODE_V8_COVERAGE). */
export function readCoverage(folder: string, root: string): Coverage {
  const sources = pathToFileURL(path.join(root, 'src')).href
  const coverage = new Map<string, (readonly Range[])[]>()
  for (const name of readdirSync(folder)) {
    const file = path.join(folder, name)
    const report = parse(readFileSync(file, 'utf8'))
    rmSync(file)
    for (const { url, functions } of report?.result ?? []) {
      if (!url.startsWith(sources)) continue
      const source = path
        .relative(root, fileURLToPath(url.replace(/\?.*$/, '')))
        .split(path.sep)
        .join('/')
      const known = coverage.get(source) ?? []
      coverage.set(source, known)
      known.push(functions.flatMap(({ ranges }) => ranges))
    }
  }
  return coverage
}

/** True when some process ran the place. Type stripping keeps offsets, so the offsets are those of the source. */
export function reaches(coverage: Coverage, file: string, offset: number): boolean {
  return (coverage.get(file) ?? []).some((ranges) => {
    let innermost: Range | undefined
    for (const range of ranges) {
      if (range.startOffset > offset || range.endOffset <= offset) continue
      const size = range.endOffset - range.startOffset
      if (innermost === undefined || size <= innermost.endOffset - innermost.startOffset) innermost = range
    }
    return innermost !== undefined && innermost.count > 0
  })
}

/** Undefined for half a file, which a process killed while writing leaves. */
function parse(text: string): Report | undefined {
  try {
    return JSON.parse(text) as Report
  } catch {
    return undefined
  }
}
