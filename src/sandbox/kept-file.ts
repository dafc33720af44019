/** Small files of the data folder that only their owner can read, replaced as a whole. */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { StartError } from '../start/start-failure.ts'

/** Writes a file atomically: nobody ever reads half of it, also after a power cut. */
export function writeKept(file: string, text: string): void {
  const aside = `${file}.new`
  const descriptor = openSync(aside, 'w', 0o600)
  try {
    writeFileSync(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
  renameSync(aside, file)
}

/**
 * The file's text without its final newline; `make` provides it when there is no file yet.
 * @param form what the text has to be, as a sentence, for whoever has put it there
 * @throws StartError when the text is not whole
 */
export function readKept(file: string, make: () => string, isWhole: (text: string) => boolean, form?: string): string {
  if (!existsSync(file)) writeKept(file, `${make()}\n`)
  const text = readFileSync(file, 'utf8').trimEnd()
  if (!isWhole(text)) throw damaged(file, form)
  return text
}

/** What a JSON file holds; undefined when there is none. @throws StartError when it is not whole */
export function readKeptJson<T>(file: string): T | undefined {
  if (!existsSync(file)) return undefined
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as T
  } catch (error) {
    throw error instanceof SyntaxError ? damaged(file) : error
  }
}

function damaged(file: string, form?: string): StartError {
  return new StartError(
    `${file} is damaged${form === undefined ? '' : `, or not in its form: ${form}`}. Put a copy of it back, or start afresh with \`npm run sandbox:reset\`.`,
  )
}
