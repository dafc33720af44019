/**
 * Prints a bill of materials of what a live process may run: CycloneDX, from the lockfile alone, without any network.
 * `npm run -s sbom > sbom.json`
 *
 * npm's own `--omit dev` also leaves out packages that something for development needs too, such as the database's driver; so it
 * lists all, and those that the lockfile marks as for development alone are taken out here.
 */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'

type Bill = {
  metadata: { component: { name: string; type: string } }
  components: { 'bom-ref': string }[]
  dependencies: { ref: string; dependsOn: string[] }[]
}
type Lock = { packages: Record<string, { version: string; dev?: boolean; devOptional?: boolean }> }

const ROOT = path.join(import.meta.dirname, '..')
const ARGUMENTS = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--offline']
const OPTIONS: ExecFileSyncOptionsWithStringEncoding = {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: 64 * 1024 * 1024,
  stdio: ['ignore', 'pipe', 'ignore'],
}

const readJson = (name: string): unknown => JSON.parse(readFileSync(path.join(ROOT, name), 'utf8'))

function writtenByNpm(): Bill {
  const { npm_execpath: npm } = process.env
  const written =
    npm === undefined
      ? execFileSync('npm', ARGUMENTS, OPTIONS)
      : execFileSync(process.execPath, [npm, ...ARGUMENTS], OPTIONS)
  return JSON.parse(written) as Bill
}

const { packages } = readJson('package-lock.json') as Lock
const runs = new Set(
  Object.entries(packages)
    .filter(([, { dev, devOptional }]) => dev !== true && devOptional !== true)
    .map(
      ([place, { version }]) =>
        `${place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`,
    ),
)
const bill = writtenByNpm()
const { name } = readJson('package.json') as { name: string }
// npm names it after the folder.
bill.metadata.component = { ...bill.metadata.component, name, type: 'application' }
bill.components = bill.components.filter((component) => runs.has(component['bom-ref']))
const kept = new Set(bill.components.map((component) => component['bom-ref']))
bill.dependencies = bill.dependencies
  .filter(({ ref }) => kept.has(ref) || ref.startsWith(`${name}@`))
  .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((ref) => kept.has(ref)) }))
process.stdout.write(`${JSON.stringify(bill, null, 2)}\n`)
