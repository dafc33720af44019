import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { CONNECTOR_SETTINGS, SAMPLE_VARIABLES } from '../../test/support/live-settings.ts'
import { ConfigError, loadConfig } from '../config.ts'

type Json = string | number | boolean | null | Json[] | { [name: string]: Json }
type Path = (string | number)[]

const read = (name: string): Json =>
  JSON.parse(readFileSync(new URL(`../../docs/samples/${name}`, import.meta.url), 'utf8'))
const schemaTakes = new Ajv2020({ strict: true, strictRequired: false }).compile(read('chains.schema.json') as object)

const SAMPLE = read('chains.json') as { chains: { [name: string]: Json }[] }
/** The sample with every field that there is. */
const WHOLE: Json = {
  $schema: './chains.schema.json',
  chains: SAMPLE.chains.map((chain) => ({
    ...chain,
    explorer: {
      baseUrl: 'https://scan.example',
      addressUrl: 'https://scan.example/a/',
      txUrl: 'https://scan.example/t/',
    },
    sanctionsOracle: '0x40C57923924B5c5c5455c48D93317139ADDaC8fb',
    deployment: {
      ...(chain.deployment as object),
      signers: ['0x31CEe9E8E66f9858A3777aFE330dEEF4aE936f3a'],
      linkers: ['0x3bB9eaC3168c9C8502bE1144f91411a36dF5b3F4'],
    },
  })),
}
const WRONG: readonly Json[] = [null, true, '', -1, 0, 1.5, 1e15, 'x', '0x12', 'http://scan.example', [], {}, ['x']]

/** Whether a process that settles (or not) starts with the file. */
function serviceTakes(file: Json, roles = 'api,settler'): boolean {
  const env = { ...SAMPLE_VARIABLES, ...CONNECTOR_SETTINGS, COIN_ROLES: roles, CHAINS_FILE: 'chains.json' }
  try {
    loadConfig({ ...env, DATABASE_URL: 'postgres://coin@localhost/coin' }, () => JSON.stringify(file))
    return true
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    // What is wrong with a variable that the file names is not wrong with the file.
    return !error.problems.some((problem) => problem.startsWith('CHAINS_FILE'))
  }
}

/** Every place of a value, from the outside in. */
function pathsOf(value: Json, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [at]
  return [at, ...Object.entries(value).flatMap(([name, inner]) => pathsOf(inner, [...at, name]))]
}

/** A copy in which the value at the path is another, or is gone. */
function changed(value: Json, at: Path, to: Json | undefined): Json {
  const [first, ...rest] = at
  if (first === undefined) return to as Json
  const copy = structuredClone(value) as { [name: string]: Json }
  if (rest.length > 0) copy[first] = changed(copy[first] as Json, rest, to)
  else if (to === undefined) delete copy[first]
  else copy[first] = to
  return copy
}

test('the sample, with and without what may be left out, keeps to the published schema', () => {
  for (const file of [SAMPLE, WHOLE]) {
    assert.equal(schemaTakes(file), true, JSON.stringify(schemaTakes.errors))
    assert.equal(serviceTakes(file as Json), true)
  }
})

test('the service and the schema demand the same fields and refuse the same values', () => {
  let refused = 0
  for (const at of pathsOf(WHOLE).filter((one) => one.length > 0 && one[0] !== '$schema')) {
    const inList = /^\d+$/.test(String(at.at(-1)))
    for (const to of inList ? WRONG : [undefined, ...WRONG]) {
      const file = changed(WHOLE, at, to)
      // A process that does not settle needs no signers, and which nodes there are decides about the largest quorum.
      const roles = at.at(-1) === 'signers' && to === undefined ? 'api' : 'api,settler'
      assert.equal(schemaTakes(file), serviceTakes(file, roles), `${at.join('.')} = ${JSON.stringify(to)}`)
      if (!schemaTakes(file)) refused++
    }
  }
  assert.ok(refused > 500, `only ${refused} files were refused`)
})

test('the service and the schema refuse a field that they do not know, wherever it stands', () => {
  const objects = pathsOf(WHOLE).filter((at) => {
    const value = at.reduce<Json>((inner, name) => (inner as { [name: string]: Json })[name] as Json, WHOLE)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  })
  assert.ok(objects.length > 15)
  for (const at of objects) {
    const file = changed(WHOLE, [...at, 'misspelt'], 1)
    assert.deepEqual([schemaTakes(file), serviceTakes(file)], [false, false], at.join('.'))
  }
})
