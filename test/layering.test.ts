/** Imports point one way. The tables below are the rule; docs/ARCHITECTURE.md says why. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { importsOf, typeScriptFiles } from './support/imports.ts'

const SRC = path.join(import.meta.dirname, '../src')

/** What wires the parts together; it may import everything, and nothing else imports it. */
const COMPOSITION = /^(logging|main|metrics|service|start-failure)\.ts$|^roles\//

/**
 * Folder of src → folders it may import. The other files directly in src are open to all and import none of the folders;
 * config.ts belongs to config/, whose record everyone may know.
 */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  db: [],
  events: ['db'],
  leases: ['db'],
  screening: ['db'],
  integrations: ['db'],
  customers: ['db'],
  config: ['integrations'],
  orders: ['config', 'db', 'events'],
  webhooks: ['config', 'db', 'events'],
  payouts: ['config', 'db', 'events', 'orders'],
  chain: ['config', 'db', 'leases', 'orders'],
  settlement: ['chain', 'config', 'db', 'events', 'leases', 'orders'],
  http: ['config', 'customers', 'db', 'events', 'integrations', 'orders'],
  operator: [
    'chain',
    'config',
    'customers',
    'db',
    'events',
    'integrations',
    'orders',
    'payouts',
    'screening',
    'settlement',
    'webhooks',
  ],
  sandbox: ['chain', 'config', 'customers', 'db', 'integrations', 'operator', 'orders', 'webhooks'],
}

/** Package → folders that may know it. Packages that are not listed are free. */
const KNOWN_BY: Readonly<Record<string, readonly string[]>> = {
  fastify: ['http', 'operator'],
  viem: ['chain', 'config', 'operator', 'sandbox', 'settlement'],
  ioredis: ['http'],
  pg: ['db'],
  '@electric-sql/pglite': ['db'],
  commander: ['operator'],
}

type Import = { file: string; from: string; to: string; specifier: string }

/** What production files import, tests left out: they may reach anywhere. */
function productionImports(): Import[] {
  return typeScriptFiles(SRC)
    .filter((file) => !file.endsWith('.test.ts'))
    .flatMap((file) =>
      importsOf(readFileSync(file, 'utf8')).map((specifier) => ({
        file: path.relative(SRC, file),
        from: folderOf(path.relative(SRC, file)),
        to: specifier.startsWith('.')
          ? folderOf(path.relative(SRC, path.resolve(path.dirname(file), specifier)))
          : packageOf(specifier),
        specifier,
      })),
    )
}

/** The part of src that a path below src belongs to; '' for the small modules that are open to all. */
function folderOf(file: string): string {
  if (COMPOSITION.test(file)) return 'composition'
  if (file === 'config.ts') return 'config'
  return file.includes('/') ? file.slice(0, file.indexOf('/')) : ''
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
}

test('folders import only what lies below them', () => {
  const wrong = productionImports()
    .filter(
      ({ specifier, from, to }) => specifier.startsWith('.') && from !== 'composition' && from !== to && to !== '',
    )
    .filter(({ from, to }) => !MAY_IMPORT[from]?.includes(to))
    .map(({ file, specifier }) => `${file} imports ${specifier}`)
  assert.deepEqual(wrong, [])
})

test('only the folders that should know a package import it', () => {
  const wrong = productionImports()
    .filter(({ from, to }) => from !== 'composition' && to in KNOWN_BY && !KNOWN_BY[to]?.includes(from))
    .map(({ file, specifier }) => `${file} imports ${specifier}`)
  assert.deepEqual(wrong, [])
})

test('production code imports nothing from the tests', () => {
  const wrong = productionImports().filter(({ to }) => to === '..')
  assert.deepEqual(wrong, [])
})

test('every folder of src has its rule, and the rules have no cycle', () => {
  const folders = new Set(
    typeScriptFiles(SRC)
      .map((file) => folderOf(path.relative(SRC, file)))
      .filter((folder) => folder !== '' && folder !== 'composition'),
  )
  assert.deepEqual(
    [...folders].filter((folder) => !(folder in MAY_IMPORT)),
    [],
  )
  const below = (folder: string, trail: readonly string[]): void => {
    assert.ok(!trail.includes(folder), `a cycle: ${[...trail, folder].join(' → ')}`)
    for (const next of MAY_IMPORT[folder] ?? []) below(next, [...trail, folder])
  }
  for (const folder of Object.keys(MAY_IMPORT)) below(folder, [])
})
