/** Everything that a run needs, each part started after those it needs. */
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { createLogins } from '../../support/logins.ts'
import type { Random } from '../../support/random.ts'
import { type Bank, startBank } from './bank.ts'
import { startChain, type TortureChain } from './chain.ts'
import { chainsFile, keysForService } from './contracts.ts'
import { startDatabase, type TortureDatabase } from './database.ts'
import { type Nodes, startNodes } from './nodes.ts'
import { createOperator, type Operator } from './operator.ts'
import { onboard, type Parties } from './parties.ts'
import { type Processes, ROLES, STOPPED_WITHIN_MS, startProcesses } from './processes.ts'
import { type Receiver, startReceiver } from './receiver.ts'

export type World = {
  database: TortureDatabase
  chain: TortureChain
  nodes: Nodes
  bank: Bank
  receiver: Receiver
  processes: Processes
  operator: Operator
  parties: Parties
  stop(): Promise<void>
}

export const CONFIRMATIONS = 3
const NODES = 3

/**
 * @param folder where logs and data folders go
 * @param say called with the name of each part when it is up
 * @param fleet other processes than torture's, and settings that all of them get
 */
export async function startWorld(
  random: Random,
  folder: string,
  say: (part: string) => void,
  fleet: { roles?: Readonly<Record<string, string>>; settings?: Record<string, string> } = {},
): Promise<World> {
  mkdirSync(folder, { recursive: true })
  const closers: (() => Promise<unknown>)[] = []
  const closing = async () => {
    for (const close of closers.splice(0).reverse()) await close().catch((error: unknown) => console.error(error))
  }
  const open = async <T>(part: Promise<T>, close: (part: T) => Promise<unknown>): Promise<T> => {
    const opened = await part
    closers.push(() => close(opened))
    return opened
  }
  try {
    // Its start blocks this process for seconds, so nothing that answers others may start beside it.
    const database = await open(startDatabase(), (part) => part.stop())
    const roles = fleet.roles ?? ROLES
    const logins = await createLogins(database.url, Object.values(roles))
    say('database')
    const chain = await open(startChain(folder), (part) => part.stop())
    say('chain and contracts')
    const nodes = await open(startNodes(chain.rpcUrl, NODES, random.between(1, 1e9)), (part) => part.close())
    const payoutToken = randomBytes(24).toString('hex')
    const bank = await open(startBank(payoutToken), (part) => part.close())
    const receiver = await open(startReceiver(), (part) => part.close())
    const operatorToken = randomBytes(24).toString('hex')
    const env = { ...serviceSettings(chain, nodes, folder), ...payoutSettings(bank, payoutToken) }
    const settings = { ...env, ...fleet.settings, OPERATOR_TOKEN: operatorToken }
    const processes = await open(startProcesses(settings, folder, logins.urlOf, roles), (part) => part.stopAll())
    await processes.allServe()
    say('processes')
    const operator = createOperator(() => processes.operatorOrigin, operatorToken)
    const parties = await onboard(operator, random.fork('parties'), receiver.url)
    say('parties')
    return { database, chain, nodes, bank, receiver, processes, operator, parties, stop: closing }
  } catch (error) {
    await closing()
    throw error
  }
}

function serviceSettings(chain: TortureChain, nodes: Nodes, folder: string) {
  const file = path.join(folder, 'chains.json')
  writeFileSync(file, chainsFile(chain, nodes.urls, CONFIRMATIONS))
  return {
    PATH: process.env.PATH ?? '',
    // Shared by all runs: six processes and their restarts then cost half as much.
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE ?? path.join(tmpdir(), 'coin-torture-compiled'),
    COIN_ENVIRONMENT: 'sandbox',
    CHAINS_FILE: file,
    SECRETS_KEY: randomBytes(32).toString('hex'),
    WEBHOOK_ALLOW_LOOPBACK: 'true',
    RATE_READ: '1000000',
    RATE_WRITE: '1000000',
    LOG_LEVEL: 'info',
    STOP_MS: String(STOPPED_WITHIN_MS),
    ...keysForService(),
  }
}

function payoutSettings(bank: Bank, token: string) {
  return { PAYOUT_RAIL: 'http', PAYOUT_URL: bank.url, PAYOUT_TOKEN: token, PAYOUT_TIMEOUT_MS: '1500' }
}
