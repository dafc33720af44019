/** docs/GOING-LIVE.md, typed by the people it names, on a machine with a database server, a chain and a bank. */
import { randomUUID } from 'node:crypto'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import path from 'node:path'
import { type Hex, numberToHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { rpc } from '../../src/sandbox/chain/rpc.ts'
import { startFakeBank } from '../payouts/fake-bank.ts'
import { startAnvil } from '../support/anvil.ts'
import { startEdr } from '../support/edr.ts'
import { type GuardedProcess, startGuarded } from '../support/guarded-process.ts'
import { startPostgresServer } from '../support/postgres-server.ts'
import { temporaryFolder } from '../support/temp.ts'
import { type Block, blocksUnder, stepsOf, withValues } from '../support/walkthrough.ts'
import { createShells } from './shells.ts'

export const ROOT = path.join(import.meta.dirname, '../..')
export const CHAIN_ID = 777_001
const EVERYBODY = 'Everybody'
const MACHINE = 'On the machine'
const SERVICE = 'As a service'
const PEOPLE = [EVERYBODY, MACHINE, SERVICE, 'Aminah', 'Bala', 'Mei Ling', 'Devi', 'The partner']
export const ACCOUNT_NUMBER = '512345678901'

const pageOf = (name: string): string => readFileSync(path.join(ROOT, 'docs', name), 'utf8')

export const STEPS = stepsOf(pageOf('GOING-LIVE.md'), 'Going live', PEOPLE)

/** The command that starts the service, as the document has it. */
export const SERVICE_COMMAND =
  STEPS.flatMap(({ blocks }) => blocks)
    .find(({ who }) => who === SERVICE)
    ?.script.trim() ?? ''

/** What a runbook lets people type. */
export const blocksOfRunbook = (title: string): Block[] => blocksUnder(pageOf('RUNBOOKS.md'), title, PEOPLE)

export type GoingLive = Awaited<ReturnType<typeof startGoingLive>>

/** Below the ports that systems give to outgoing connections, so that nobody gets it in between. */
async function quietPort(): Promise<number> {
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : await quietPort()
}

/**
 * @param chain `edr`: Hardhat's, instead of anvil
 * @param settings of the database server
 */
export async function startGoingLive(chain: 'anvil' | 'edr', settings: Readonly<Record<string, string>> = {}) {
  const folder = temporaryFolder('live')
  const [node, server, bank, port, operatorPort] = await Promise.all([
    chain === 'edr' ? startEdr({ chainId: CHAIN_ID }) : startAnvil({ chainId: CHAIN_ID, blockTimeSeconds: 1 }),
    startPostgresServer(settings, 'memory'),
    startFakeBank(),
    quietPort(),
    quietPort(),
  ])
  const holder = privateKeyToAccount(generatePrivateKey())
  const database = new URL(server.url)
  const given: Record<string, string> = {
    CONF: folder,
    CHAIN_ID: String(CHAIN_ID),
    CONFIRMATIONS: '2',
    RPC_1: node.rpcUrl,
    RPC_2: `${node.rpcUrl}/?two`,
    PGHOST: database.hostname,
    PGPORT: database.port,
    PGUSER: database.username,
    PGPASSWORD: database.password,
    PAYOUT_URL: bank.url,
    PORT: String(port),
    OPERATOR_PORT: String(operatorPort),
    walletAddress: holder.address,
  }
  const psql = path.join(temporaryFolder('bin'), 'psql')
  writeFileSync(psql, `#!/bin/sh\nexec node '${path.join(ROOT, 'test/live/psql.ts')}' "$@"\n`)
  chmodSync(psql, 0o755)
  const env = {
    PATH: `${path.dirname(psql)}:${process.env.PATH}`,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
  }
  const shells = createShells(env)
  const services: GuardedProcess[] = []
  const beginning: string[] = []
  const begun = new Set<string>()
  const used = new Set<string>()

  /** The value of a line of keys.env, secrets.env or service.env. */
  const setting = (file: string, name: string): string =>
    new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(path.join(folder, file), 'utf8'))?.[1] ?? ''

  /** The commands that everybody begins with, in the shell of somebody who has not begun. */
  async function type(who: string, script: string, typed?: string): Promise<string> {
    if (!begun.has(who)) for (const first of beginning) await shells.run(who, first)
    begun.add(who)
    return await shells.run(who, script, typed)
  }

  async function startService(script: string, changes: Readonly<Record<string, string>> = {}): Promise<GuardedProcess> {
    const changed = Object.entries(changes).map(([name, value]) => `export ${name}='${value}'`)
    const service = await startGuarded('/bin/sh', ['-c', [...beginning, ...changed, `exec ${script}`].join('\n')], {
      env,
      cwd: ROOT,
      orphanSignal: 'TERM',
    })
    services.push(service)
    return service
  }

  async function holderSigns(): Promise<string> {
    const consent = JSON.parse(readFileSync(path.join(folder, 'consent.json'), 'utf8'))
    return await holder.signTypedData(consent as Parameters<typeof holder.signTypedData>[0])
  }

  /** A command of somebody's, with --json. @returns what it printed, whatever its exit code */
  async function coin<T>(who: string, ...args: string[]): Promise<T> {
    const file = path.join(folder, `said-${randomUUID()}`)
    const words = args.map((arg) => `'${arg}'`).join(' ')
    await type(who, `coin ${words} --json > '${file}' || test $? -eq 3 || test $? -eq 1`)
    return JSON.parse(readFileSync(file, 'utf8')) as T
  }

  /** A command that one person asks for and another approves. @returns what it printed for who asked */
  async function approved<T>(who: string, other: string, ...args: string[]): Promise<T> {
    const { approvalId } = await coin<{ approvalId: string }>(who, ...args)
    await type(other, `coin approval approve '${approvalId}'`)
    return await coin<T>(who, ...args, '--approval', approvalId)
  }

  return {
    folder,
    coin,
    approved,
    node,
    server,
    bank,
    shells,
    services,
    given,
    used,
    setting,
    type,
    startService,
    walletAddress: holder.address,
    apiUrl: `http://127.0.0.1:${port}/v1`,
    operatorUrl: `http://127.0.0.1:${operatorPort}`,

    /** What the document asks of people outside of shells: gas money for the keys. */
    async fund(names: readonly string[]): Promise<void> {
      for (const name of names) {
        await rpc(node.rpcUrl, 'hardhat_setBalance', [setting('keys.env', `${name}_ADDRESS`), numberToHex(10n ** 20n)])
      }
    },

    async run({ who, script }: Block): Promise<void> {
      if (/^consent=/m.test(script)) given.consent = await holderSigns()
      const filled = withValues(script, given)
      for (const name of Object.keys(given)) if (filled.includes(`${name}='`)) used.add(name)
      if (who === EVERYBODY) beginning.push(filled)
      else if (who === SERVICE) await startService(filled.trim())
      else await type(who, filled, filled.includes('--bank-account -') ? `${ACCOUNT_NUMBER}\n` : '')
    },

    /** Somebody new, who has replaced the token that others have seen. */
    async hire(name: string, role: string): Promise<void> {
      const { token, operatorId } = await approved<{ token: string; operatorId: string }>(
        ...(['Aminah', 'Bala', 'operator', 'add', '--name', name, '--role', role] as const),
      )
      await type(name, `export OPERATOR_TOKEN='${token}'`)
      const own = await coin<{ token: string }>(name, 'operator', 'rotate', operatorId)
      await type(name, `export OPERATOR_TOKEN='${own.token}'`)
    },

    keyOf: (name: string) => setting('keys.env', `${name}_KEY`) as Hex,

    async close(): Promise<void> {
      await shells.close()
      await Promise.all(services.map((each) => each.end('SIGTERM')))
      await Promise.all([bank.close(), node.stop()])
      await server.stop()
    },
  }
}
