/** Small files of the data folder that only their owner can read, replaced as a whole. */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

/** Writes a file atomically: nobody ever reads half of it. */
export function writeKept(file: string, text: string): void {
  const aside = `${file}.new`
  writeFileSync(aside, text, { mode: 0o600 })
  renameSync(aside, file)
}

/** The file's text without its final newline; `make` provides it when there is no file yet. */
export function readKept(file: string, make: () => string): string {
  if (!existsSync(file)) writeKept(file, `${make()}\n`)
  return readFileSync(file, 'utf8').trimEnd()
}
