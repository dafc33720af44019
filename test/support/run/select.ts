/** Which test files belong to a run, and on which engines each of them runs. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { reaches, typeScriptFiles } from '../imports.ts'

export type Engine = 'pglite' | 'postgres'
export type Suite = { file: string; engines: readonly Engine[] }

const DATABASE_MODULE = 'test/support/database.ts'
const FOLDERS = ['src', 'contracts/tools', 'scripts', 'examples', 'sdk', 'test']
/** Begun first, so that the end of a run does not wait for one of them alone. */
const LONG = [
  'torture/',
  'sandbox/',
  'console/',
  'live/',
  'fleet/',
  'payment-files/kill',
  'webhooks/killed',
  'settlement/',
  'operator/',
  'db/',
].map((place) => `test/${place}`)
/** Half a dozen processes each, which time one another: beside as many they would measure only the machine. */
export const HEAVY: Readonly<Record<string, number>> = {
  'test/torture/torture.test.ts': 4,
  'test/fleet/fleet.test.ts': 4,
  'test/payment-files/kill.test.ts': 3,
  'test/webhooks/killed-courier.test.ts': 2,
  'test/live/live.test.ts': 2,
  'test/sandbox/on-demand.test.ts': 2,
  'test/sandbox/neighbours.test.ts': 2,
}
const ENGINE_MARK = /^\/\/ engine: (pglite|postgres)(; both in test:long|; only in test:long)?\n/

/**
 * All suites of the project, or those that `parts` name: `unit`, a folder of test/, or a path, whose ending `.test.ts` may be left out.
 * @param long suites marked `both in test:long` run on both engines; those marked `only in test:long` run otherwise only when they are named
 * @param left only what a run without `long` leaves out
 */
export function selectSuites(root: string, parts: readonly string[], { long = false, left = false } = {}): Suite[] {
  return FOLDERS.flatMap((folder) => typeScriptFiles(path.join(root, folder)))
    .filter((file) => file.endsWith('.test.ts'))
    .filter((file) => parts.length === 0 || parts.some((part) => belongsTo(path.relative(root, file), part)))
    .map((file) => ({
      file,
      engines: left ? leftOf(root, file) : enginesOf(root, file, { long, named: parts.length > 0 }),
      turn: turnOf(path.relative(root, file)),
    }))
    .sort((one, other) => one.turn - other.turn)
    .map(({ file, engines }) => ({ file, engines }))
}

/** How many of the places of a run a suite takes. @param file its path from the root */
export function slotsOf(file: string): number {
  return HEAVY[file] ?? 1
}

function turnOf(file: string): number {
  const place = LONG.findIndex((beginning) => file.startsWith(beginning))
  return place === -1 ? LONG.length : place
}

/** The entries of `parts` that name no suite. */
export function unmatchedParts(root: string, parts: readonly string[]): string[] {
  return parts.filter((part) => selectSuites(root, [part]).length === 0)
}

function belongsTo(file: string, part: string): boolean {
  if (part === 'unit') return !file.startsWith('test/')
  const wanted = path.normalize(part).replace(/\/$/, '')
  if (file === wanted || file === `${wanted}.test.ts`) return true
  return file.startsWith(`test/${wanted}/`) || file.startsWith(`${wanted}/`)
}

function leftOf(root: string, file: string): readonly Engine[] {
  const usual = enginesOf(root, file, { long: false, named: false })
  return enginesOf(root, file, { long: true, named: false }).filter((engine) => !usual.includes(engine))
}

function enginesOf(root: string, file: string, { long, named }: { long: boolean; named: boolean }): readonly Engine[] {
  const [, mark, inLong] = ENGINE_MARK.exec(readFileSync(file, 'utf8')) ?? []
  if (long && inLong?.includes('both')) return ['pglite', 'postgres']
  if (!long && !named && inLong?.includes('only')) return []
  if (mark === 'pglite' || mark === 'postgres') return [mark]
  return reaches(file, path.join(root, DATABASE_MODULE)) ? ['pglite', 'postgres'] : ['pglite']
}
