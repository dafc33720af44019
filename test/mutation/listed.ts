/**
 * Faults that once went unnoticed, each with the test that now notices it. `npm run mutate -- --listed` plants every
 * one of them in a copy of the tree and runs only its test.
 */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { startPostgresServer } from '../support/postgres-server.ts'
import type { Engine } from '../support/run/select.ts'
import { passed, runTest } from './tests.ts'
import { createWorkspace } from './workspace.ts'

export type ListedFault = {
  /** What would go wrong. */
  what: string
  file: string
  /** Text that occurs in the file exactly once. */
  find: string
  replacement: string
  /** The test file that fails. */
  test: string
  /** Default `pglite`. */
  engine?: Engine
}

const TIMEOUT_MS = 240_000

export function readListed(root: string): ListedFault[] {
  return JSON.parse(readFileSync(path.join(root, 'test/mutation/listed.json'), 'utf8')) as ListedFault[]
}

/** The source with the fault. @throws Error when the place is gone, or is not the only one */
export function plant(source: string, { what, file, find, replacement }: ListedFault): string {
  const count = source.split(find).length - 1
  if (count !== 1)
    throw new Error(`test/mutation/listed.json: ${what}: ${file} has ${count} places like ${JSON.stringify(find)}`)
  return source.replace(find, () => replacement)
}

/** Plants the faults whose description or file contains one of `parts`, or all. Returns true when each was noticed by its test. */
export async function tryListed(root: string, parts: readonly string[]): Promise<boolean> {
  const isWanted = ({ what, file }: ListedFault) =>
    parts.length === 0 || parts.some((part) => what.includes(part) || file.includes(part))
  const faults = readListed(root).filter(isWanted)
  const space = createWorkspace(root)
  const server = faults.some(({ engine }) => engine === 'postgres')
    ? await startPostgresServer({}, 'memory')
    : undefined
  const healthy = new Set<string>()
  let unnoticed = 0
  try {
    for (const fault of faults) {
      const { file, test, engine = 'pglite' } = fault
      const source = space.read(file)
      const changed = plant(source, fault)
      const run = () => runTest(space, { file: test, engine }, { timeoutMs: TIMEOUT_MS, postgresUrl: server?.url })
      const name = `${test} (${engine})`
      if (!healthy.has(name) && !passed(await run()) && !passed(await run())) {
        throw new Error(`${name} fails without a fault`)
      }
      healthy.add(name)
      space.write(file, changed)
      const outcome = await run()
      space.write(file, source)
      const isNoticed = !passed(outcome) && outcome.end !== 'timeout'
      if (!isNoticed) unnoticed += 1
      console.log(`${isNoticed ? 'noticed  ' : 'UNNOTICED'} ${fault.what} (${file}, by ${name})`)
    }
  } finally {
    await server?.stop()
    await space.remove()
  }
  console.log(`${faults.length - unnoticed} of ${faults.length} listed faults are noticed`)
  return faults.length > 0 && unnoticed === 0
}
