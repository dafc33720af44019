/** The operator API on a free port over a real database, and the real command line beside it. */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { KeyMissingError } from '../../src/chain/admin.ts'
import type { KeyName } from '../../src/chain/key-calls.ts'
import type { KeyGas } from '../../src/chain/key-gas.ts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import type { IdentityProviderConfig } from '../../src/config.ts'
import { createConsole } from '../../src/console/console.ts'
import type { SessionTimes } from '../../src/console/sessions.sql.ts'
import { createOperatorApp } from '../../src/operator/app.ts'
import { createAuthentication, createRecognition } from '../../src/operator/authenticate.ts'
import type { BankImport, OperatorChain, OperatorDeps, PaymentFiles, ReadsBankFile } from '../../src/operator/deps.ts'
import { createDirectory } from '../../src/operator/directory.ts'
import { createFewLooks } from '../../src/operator/few-looks.ts'
import { createHealth } from '../../src/operator/health.ts'
import { createWrongTokens } from '../../src/operator/wrong-tokens.ts'
import type { OperatorRole } from '../../src/operators/roles.ts'
import { createSecretBox, type SecretBox } from '../../src/secrets/secrets.ts'
import { createWebhookAdmin } from '../../src/webhooks/admin.ts'
import { createSender } from '../../src/webhooks/send.ts'
import { asRole, createTestDatabase } from '../support/database.ts'
import { type CliResult, runCommand } from './commands.ts'

export const TOKEN = 'test-operator-token-0123456789'
export const COIN = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const SETTLEMENT = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'

/** Connections of a test's database. */
const POOL_SIZE = 5
const MICRO = 1_000_000n
const POLICY = {
  mintFloorMicro: MICRO,
  mintCeilingMicro: 1_000_000_000_000_000n,
  mintDayCapMicro: null,
  redeemCeilingMicro: 1_000_000n * MICRO,
  nonResidentLimitMicro: 100_000n * MICRO,
  monthlyWithdrawalCapMicro: 500_000n * MICRO,
  transferTxCapMicro: 50_000n * MICRO,
  transferDayCapMicro: 250_000n * MICRO,
  feeMicro: { MINT: 0n, REDEEM: 0n },
}

export type ChainDouble = ReturnType<typeof chainDouble>

/** A chain whose answers a test sets. */
export function chainDouble(chainId: number, { coin = COIN as string, settlement = SETTLEMENT as string } = {}) {
  const state = {
    linked: new Set<string>(),
    frozen: new Set<string>(),
    sanctioned: new Set<string>(),
    paused: false,
    settlementPaused: false,
    /** Whether the coin demands the holder's consent. */
    consentRequired: false,
    linkNonce: 0n,
    /** The consents that the linker was given, by wallet. */
    consents: new Map<string, unknown>(),
    /** Keys that this process does not have. */
    missingKeys: new Set<string>(),
    findings: [] as { text: string; danger: boolean }[],
    readable: true,
    genesisHash: '0x00',
    supplyMicro: 0n,
    /** The blocks for which the supply was requested; undefined: the newest. */
    supplyAsked: [] as (bigint | undefined)[],
    failLinks: 0,
    signers: [{ address: COIN, nonce: 3n, gasBalance: 1_500_000_000_000_000_000n, isLow: false }],
    keys: [{ name: 'pauser', address: COIN, balanceWei: 2_000_000_000_000_000_000n, isLow: false }] as KeyGas[],
  }
  const read = <T>(value: () => T): Promise<T> =>
    state.readable ? Promise.resolve(value()) : Promise.reject(new ChainUnreadableError('no node answers'))
  const chain = {
    config: {
      chainId,
      confirmations: 2,
      rpcUrls: ['http://user:hunter2@127.0.0.1:1/hunter2'],
      coin: { address: coin, name: 'Coin', symbol: 'COIN' },
      settlement,
      signers: [{}],
    },
    reader: {
      head: () => read(() => ({ number: 7n, hash: '0x0' })),
      genesisHash: () => read(() => state.genesisHash),
    },
    admin: {
      isFrozen: (address: string) => read(() => state.frozen.has(address)),
      isSanctioned: (address: string) => read(() => state.sanctioned.has(address)),
      requireKey: (name: KeyName) => {
        if (state.missingKeys.has(name)) throw new KeyMissingError(name, chainId)
      },
      linkState: ({ wallet }: { wallet: string }) =>
        read(() => ({
          isLinked: state.linked.has(wallet),
          nonce: state.linkNonce,
          consentRequired: state.consentRequired,
        })),
      linkWallet: ({ wallet: address, consent }: { wallet: string; consent?: unknown }) =>
        read(() => {
          if (state.failLinks > 0) {
            state.failLinks -= 1
            throw new ChainUnreadableError('no node answers')
          }
          if (state.linked.has(address)) return undefined
          state.linked.add(address)
          state.consents.set(address, consent)
          return `0x${'ab'.repeat(32)}`
        }),
      requireLinkable: async () => {},
      unlinkWallet: ({ wallet }: { wallet: string }) =>
        read(() => (state.linked.delete(wallet) ? `0x${'cd'.repeat(32)}` : undefined)),
      freeze: (address: string) => read(() => void state.frozen.add(address)),
      unfreeze: (address: string) => read(() => void state.frozen.delete(address)),
      pause: ({ settlementOnly = false } = {}) =>
        read(() => void Object.assign(state, settlementOnly ? { settlementPaused: true } : { paused: true })),
      unpause: ({ settlementOnly = false } = {}) =>
        read(
          () => void Object.assign(state, { settlementPaused: false, ...(settlementOnly ? {} : { paused: false }) }),
        ),
      stopped: () => read(() => (state.paused ? 'coin' : state.settlementPaused ? 'settlement' : 'nothing')),
      status: () =>
        read(() => ({
          chainId,
          head: 7n,
          rpcUrls: ['http://127.0.0.1:1'],
          coin,
          settlement,
          paused: state.paused,
          settlementPaused: state.settlementPaused,
          findings: state.findings,
          signers: state.signers,
        })),
      keyGas: () => read(() => state.keys),
      supply: (block?: bigint) =>
        read(() => {
          state.supplyAsked.push(block)
          return state.supplyMicro
        }),
    },
  }
  return { state, chain: chain as unknown as OperatorChain & { reader: { head(): Promise<unknown> } } }
}

export type Person = Awaited<ReturnType<OperatorFixture['person']>>
export type OperatorFixture = Awaited<ReturnType<typeof startOperator>>

/** Starts the operator API. Without chains of its own it has one double, chain 31337. */
export async function startOperator(given?: {
  db?: Awaited<ReturnType<typeof createTestDatabase>>
  chains?: readonly (OperatorChain & { reader: { head(): Promise<unknown> } })[]
  settlerRunning?: () => boolean
  environment?: 'sandbox' | 'live'
  bank?: BankImport
  bankAccounts?: readonly string[]
  readsBankFile?: ReadsBankFile
  paymentFiles?: PaymentFiles
  payeeProblem?: OperatorDeps['payeeProblem']
  fourEyes?: boolean
  /** Which chains this process knows to be lost. */
  isLost?: (chainId: number) => boolean
  secrets?: SecretBox
  /** CONSOLE_ORIGIN. */
  origin?: string
  /** The identity provider; in live, people's tokens are refused then. */
  identity?: IdentityProviderConfig
  /** How long sessions of the console last. */
  sessionTimes?: SessionTimes
}) {
  const whole = given?.db ?? (await createTestDatabase())
  // What a test wraps or shares is used as it is.
  const db = given?.db ?? (await asRole(whole, 'operator'))
  const double = chainDouble(31_337)
  const chains = given?.chains ?? [double.chain]
  const environment = given?.environment ?? 'sandbox'
  const secrets = given?.secrets ?? createSecretBox(new Uint8Array(32).fill(7))
  const wrongTokens = { count: 0 }
  const log: string[] = []
  const logger = pino({ level: 'trace' }, { write: (line: string) => void log.push(line) })
  const refusesTokens = given?.identity !== undefined && environment === 'live'
  const people = { sharedToken: TOKEN, environment, directory: await createDirectory(db), refusesTokens }
  const signingIn = {
    authenticate: createAuthentication(people),
    // Tests present dozens: each waits a moment, however many came before.
    wrongTokens: createWrongTokens({ logger, counted: () => void wrongTokens.count++, sleep: () => sleep(1) }),
  }
  const config = {
    environment,
    fourEyes: given?.fourEyes ?? false,
    policy: POLICY,
    reserve: { guard: 'off' as const, maxAgeMs: 36 * 3_600_000 },
  }
  const pages = createConsole({
    ...signingIn,
    db,
    logger,
    config,
    sharedToken: TOKEN,
    recognize: createRecognition(people),
    origin: given?.origin,
    ...(given?.sessionTimes && { times: given.sessionTimes }),
    identity: given?.identity && { config: given.identity, secrets },
    refusesTokens,
  })
  const looks = createFewLooks(db, POOL_SIZE)
  const app = createOperatorApp({
    ...signingIn,
    browser: pages.browser,
    signOut: pages.sessions.endAll,
    config,
    looks,
    db: looks.db,
    secrets,
    chains,
    logger,
    refusesTokens,
    provider: given?.identity?.issuer,
    authenticate: pages.authenticate,
    webhooks: createWebhookAdmin({
      db: looks.db,
      secrets,
      send: createSender({ allowLoopback: true }),
      allowLoopback: true,
    }),
    bank: given?.bank,
    bankAccounts: given?.bankAccounts,
    readsBankFile: given?.readsBankFile,
    paymentFiles: given?.paymentFiles,
    payeeProblem: given?.payeeProblem,
    isLost: given?.isLost,
    health: createHealth({
      db,
      chains,
      settlerRunning: given?.settlerRunning,
      timeoutMs: 1_000,
      ...(given?.isLost && { isLost: given.isLost }),
    }),
    metrics: new Registry(),
  })
  pages.register(app)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`

  /** One request with the token. */
  async function call(method: 'GET' | 'POST', target: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(`${url}/operator/v1${target}`, {
      method,
      headers: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    return { status: response.status, headers: response.headers, body: (await response.json()) as any }
  }

  /** A new person with a token of their own. */
  async function person(role: OperatorRole, name = `${role} ${randomUUID()}`) {
    const { body } = await call('POST', '/operators', { name, role })
    if (body.ok !== true) throw new Error(JSON.stringify(body))
    const { operatorId, token } = body as { operatorId: string; token: string }
    const asPerson = (method: 'GET' | 'POST', target: string, sent?: unknown, headers: Record<string, string> = {}) =>
      call(method, target, sent, { authorization: `Bearer ${token}`, ...headers })
    return { operatorId, token, name, role, call: asPerson }
  }

  /** @param input what is on standard input */
  async function cli(args: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string): Promise<CliResult> {
    return await runCommand(args, { OPERATOR_URL: url, OPERATOR_TOKEN: TOKEN, ...env }, input)
  }

  /** Runs a command with --json that must succeed, and returns its one JSON object. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  async function run(...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await cli([...args, '--json'])
    if (code !== 0) throw new Error(`coin ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }

  /** As `run`, with something on standard input. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  async function runWith(input: string, ...args: string[]): Promise<any> {
    const { code, stdout, stderr } = await cli([...args, '--json'], {}, input)
    if (code !== 0) throw new Error(`coin ${args.join(' ')} ended with ${code}: ${stderr}`)
    return JSON.parse(stdout)
  }

  return {
    /** As the owner of the tables; the API itself has the rights of its role. */
    db: whole,
    url,
    log,
    chain: double.state,
    /** How many wrong tokens were presented. */
    wrongTokens,
    call,
    person,
    /** A code that signs in to the console once. */
    issueLogin: pages.issueLogin,
    cli,
    run,
    runWith,
    async close() {
      await app.close()
      if (given?.db !== undefined) return
      await db.close()
      await whole.close()
    },
  }
}
