/** Imports point one way. The tables below are the rules; docs/ARCHITECTURE.md says why. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { importsOf, typeScriptFiles, UNKNOWN_MODULE } from './support/imports.ts'

const SRC = path.join(import.meta.dirname, '../src')

/** Folders of small things that all parts may use: they import no part. */
const OPEN_TO_ALL = ['http-server', 'secrets', 'values']

/**
 * Part of src → parts it may import. A part is a folder, or a file directly in src that is named here; the other
 * files directly in src, and the folders above, are open to all and import no part. Tests are free.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  db: [],
  events: ['db'],
  leases: ['db'],
  screening: ['db'],
  operators: ['config', 'db'],
  'bank-details': ['db'],
  integrations: ['bank-details', 'db'],
  customers: ['bank-details', 'db'],
  'bank-files': [],
  seals: ['db'],
  ledger: ['db', 'seals'],
  config: [],
  orders: ['config', 'db', 'events', 'leases', 'webhooks'],
  webhooks: ['db', 'events'],
  payouts: ['bank-details', 'bank-files', 'db', 'ledger', 'orders'],
  'payment-files': ['bank-details', 'bank-files', 'db', 'payouts'],
  statements: ['bank-details', 'bank-files', 'db', 'integrations', 'ledger', 'payouts'],
  retention: ['config', 'db', 'events', 'orders', 'settlement', 'webhooks'],
  chain: ['config', 'db', 'leases'],
  reserves: ['db', 'ledger', 'statements'],
  settlement: ['chain', 'config', 'db', 'leases', 'orders', 'payouts', 'reserves'],
  http: ['config', 'customers', 'db', 'events', 'integrations', 'logs', 'orders', 'reserves'],
  operator: [
    'bank-details',
    'bank-files',
    'chain',
    'config',
    'customers',
    'db',
    'events',
    'integrations',
    'leases',
    'ledger',
    'operators',
    'orders',
    'payment-files',
    'payouts',
    'reserves',
    'screening',
    'seals',
    'settlement',
    'statements',
    'webhooks',
  ],
  // Browser modules too; they import nothing from outside their folder.
  console: ['config', 'db', 'operator', 'operators'],
  logs: ['config'],
  start: ['config', 'db'],
  metrics: ['chain', 'http', 'logs', 'operator', 'payouts', 'reserves', 'retention', 'settlement', 'webhooks'],
  // The roles wire the parts together; the sandbox prepares what they need; service.ts starts them.
  roles: [
    'bank-files',
    'chain',
    'config',
    'console',
    'db',
    'events',
    'http',
    'integrations',
    'ledger',
    'metrics',
    'operator',
    'orders',
    'payment-files',
    'payouts',
    'reserves',
    'retention',
    'seals',
    'settlement',
    'start',
    'statements',
    'webhooks',
  ],
  sandbox: [
    'bank-details',
    'bank-files',
    'chain',
    'config',
    'customers',
    'db',
    'http',
    'integrations',
    'operator',
    'operators',
    'orders',
    'payouts',
    'roles',
    'screening',
    'start',
    'statements',
    'webhooks',
  ],
  service: ['bank-files', 'chain', 'config', 'db', 'leases', 'metrics', 'roles', 'sandbox', 'start'],
  program: ['config', 'logs', 'service', 'start'],
  main: ['program', 'start'],
  migrate: ['config', 'db', 'logs', 'roles', 'start'],
}

/** Package → parts that may know it. Packages that are not listed are free. */
const KNOWN_BY: Readonly<Record<string, readonly string[]>> = {
  'openid-client': ['console'],
  fastify: ['console', 'http', 'operator'],
  preact: ['console'],
  htm: ['console'],
  viem: ['chain', 'config', 'operator', 'reserves', 'sandbox', 'settlement'],
  ioredis: ['http'],
  pg: ['db'],
  '@electric-sql/pglite': ['db'],
  commander: ['operator'],
  saxes: ['bank-files'],
  'csv-parse': ['bank-files'],
}

/** Files that look up a module under a computed name, and why they must. */
const LOOKS_FOR_MODULES: Readonly<Record<string, string>> = {
  'sandbox/chain/anvil-binary.ts': 'the package of this platform’s anvil',
}

type Import = { file: string; from: string; to: string; specifier: string }

/** The imports of production files. Tests are left out, because they may import anything. */
function productionImports(): Import[] {
  return typeScriptFiles(SRC)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      importsOf(readFileSync(file, 'utf8')).map((specifier) => ({
        file: path.relative(SRC, file),
        from: partOf(path.relative(SRC, file)),
        to: specifier.startsWith('.')
          ? partOf(path.relative(SRC, path.resolve(path.dirname(file), specifier)))
          : packageOf(specifier),
        specifier,
      })),
    )
}

/** The part of src that a path below src belongs to; '' for the small modules that are open to all. */
function partOf(file: string): string {
  if (!file.includes('/')) return path.basename(file, '.ts') in MAY_IMPORT ? path.basename(file, '.ts') : ''
  const folder = file.slice(0, file.indexOf('/'))
  return OPEN_TO_ALL.includes(folder) ? '' : folder
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

test('parts import only what lies below them', () => {
  const wrong = productionImports()
    .filter(({ specifier, from, to }) => specifier.startsWith('.') && from !== to && to !== '')
    .filter(({ from, to }) => !MAY_IMPORT[from]?.includes(to))
    .map(({ file, specifier }) => `${file} imports ${specifier}`)
  assert.deepEqual(wrong, [])
})

test('only the parts that should know a package import it', () => {
  const wrong = productionImports()
    .filter(({ from, to }) => to in KNOWN_BY && !KNOWN_BY[to]?.includes(from))
    .map(({ file, specifier }) => `${file} imports ${specifier}`)
  assert.deepEqual(wrong, [])
})

test('no rule allows what no file does', () => {
  const allowed = [
    ...Object.entries(MAY_IMPORT).flatMap(([from, parts]) => parts.map((to) => `${from} → ${to}`)),
    ...Object.entries(KNOWN_BY).flatMap(([to, parts]) => parts.map((from) => `${from} → ${to}`)),
  ]
  const done = new Set(productionImports().map(({ from, to }) => `${from} → ${to}`))
  assert.deepEqual(
    allowed.filter((one) => !done.has(one)),
    [],
  )
})

test('modules are named in the text, so that the rules above see them', () => {
  const files = productionImports()
    .filter(({ specifier }) => specifier === UNKNOWN_MODULE)
    .map(({ file }) => file)
  assert.deepEqual([...new Set(files)], Object.keys(LOOKS_FOR_MODULES))
})

test('production code imports nothing from the tests', () => {
  const wrong = productionImports().filter(({ to }) => to === '..')
  assert.deepEqual(wrong, [])
})

test('every part of src has its rule, and the rules have no cycle', () => {
  const parts = new Set(
    typeScriptFiles(SRC)
      .map((file) => partOf(path.relative(SRC, file)))
      .filter((part) => part !== ''),
  )
  assert.deepEqual(
    [...parts].filter((part) => !(part in MAY_IMPORT)),
    [],
  )
  const below = (part: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(part), `a cycle: ${[...trail, part].join(' → ')}`)
    for (const next of MAY_IMPORT[part] ?? []) below(next, [...trail, part])
  }
  for (const part of Object.keys(MAY_IMPORT)) below(part, [])
})

test('files import one another in no circle, type imports included', () => {
  const next = new Map<string, Set<string>>()
  for (const { file, specifier } of productionImports()) {
    if (!specifier.startsWith('.')) continue
    const target = path.join(path.dirname(file), specifier).split(path.sep).join('/')
    next.set(file, (next.get(file) ?? new Set()).add(target))
  }
  const reachable = (file: string): Set<string> => {
    const found = new Set<string>()
    const open = [file]
    for (let one = open.pop(); one !== undefined; one = open.pop()) {
      for (const target of next.get(one) ?? []) {
        if (found.has(target)) continue
        found.add(target)
        open.push(target)
      }
    }
    return found
  }
  const reach = new Map([...next.keys()].map((file) => [file, reachable(file)]))
  const circles = [...reach]
    .filter(([file, found]) => found.has(file))
    .map(([file, found]) =>
      [...found]
        .filter((other) => reach.get(other)?.has(file))
        .sort()
        .join(' '),
    )
  assert.deepEqual([...new Set(circles)].sort(), [])
})
