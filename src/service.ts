/** The composition root: nothing else wires the parts together. */
import type { Logger } from 'pino'
import { loadBankSetup } from './bank-files/load-setup.ts'
import { connectChain } from './chain/chain.ts'
import { whyNotOfService } from './config/operator-token.ts'
import { SEALING_ROLES } from './config/types.ts'
import type { ChainConfig, Config } from './config.ts'
import { readAccess } from './db/access.sql.ts'
import type { Database } from './db/database.ts'
import { describeReplication, readDurability, requireDurability } from './db/durability.ts'
import { openPglite } from './db/pglite.ts'
import { openPostgres } from './db/postgres.ts'
import { requireSecretsKey } from './db/secrets-key.sql.ts'
import { requireSessions } from './db/sessions.ts'
import { endAllLeases } from './leases/leases.sql.ts'
import { createMetrics, type Metrics } from './metrics/metrics.ts'
import { type ApiHooks, startApi } from './roles/api.ts'
import { checkDatabase, needlessGroups, prepareDatabase, requireLimited } from './roles/database.ts'
import { startLostWatch } from './roles/lost.ts'
import { startOperator } from './roles/operator.ts'
import type { Bank, Closers } from './roles/parts.ts'
import { startWorkers } from './roles/workers.ts'
import { lockSandbox, prepareSandbox } from './sandbox/prepare.ts'
import { createSecretBox } from './secrets/secrets.ts'
import { checkPort, StartError } from './start/start-failure.ts'

export type Service = {
  /**
   * Starts the roles that the configuration names and resolves when they are up. Whatever was started before a failure
   * is stopped.
   * @throws StartError, and the errors of the database and its migrations
   */
  start(): Promise<void>
  /**
   * Stops taking requests, finishes what is under way, and closes each part after those that need it; a start under way
   * ends first.
   */
  stop(): Promise<void>
}

/** Makes the service without starting anything. */
export function createService(config: Config, logger: Logger): Service {
  const closers: Closers = []
  const stopping = new AbortController()
  let starting: Promise<void> | undefined
  let closing: Promise<void> | undefined
  const closeAll = async () => {
    for (const closer of closers.toReversed()) {
      await closer().catch((error: unknown) => logger.error({ err: error }, 'a part did not stop properly'))
    }
  }
  // Whoever comes second waits for the first: the program ends when `stop` does.
  const close = () => (closing ??= closeAll())
  return {
    async start() {
      starting = start(config, logger, closers, stopping.signal)
      await starting.catch(async (error: unknown) => {
        await close()
        throw error
      })
    },
    async stop() {
      await starting?.catch(() => {})
      stopping.abort()
      await close()
    },
  }
}

async function start(config: Config, logger: Logger, closers: Closers, stopping: AbortSignal): Promise<void> {
  const misplaced = config.roles.has('operator') ? whyNotOfService(config.operatorToken) : undefined
  if (misplaced !== undefined) throw new StartError(misplaced)
  if (config.environment === 'sandbox') lockSandbox(config, closers)
  if (config.roles.has('api')) await checkPort({ host: config.host, port: config.port, setting: 'PORT' })
  await checkPort({ host: config.operatorHost, port: config.operatorPort, setting: 'OPERATOR_PORT' })
  const metrics = createMetrics()
  const opening = openDatabase(config, { logger, metrics, closers })
  const [sandbox, db] = await bothOrNeither(
    config.environment === 'sandbox' ? prepareSandbox(config, logger, closers, opening) : undefined,
    opening,
  )

  const chainConfigs: readonly ChainConfig[] = sandbox?.chains ?? config.chains
  const defaultChainId = sandbox?.defaultChainId ?? config.defaultChainId
  const secretsKey = sandbox?.secretsKey ?? config.secretsKey
  const secrets = secretsKey && createSecretBox(secretsKey, config.secretsKeyPrevious)
  if (secrets !== undefined && SEALING_ROLES.some((role) => config.roles.has(role)))
    await requireSecretsKey(db, secrets)
  const operatorToken = sandbox?.operatorToken ?? config.operatorToken
  if (defaultChainId === undefined) throw new StartError('The configuration has no chain.')
  const parts = {
    config,
    logger,
    db,
    defaultChainId,
    chains: chainConfigs.map((chain) => connectChain(chain, { db, logger })),
    lost: await startLostWatch({ db, logger }, closers),
    secrets,
    metrics,
    bank: bankOf(config, () => secrets && sandbox?.bankOf({ db, secrets })),
    stopping,
  }
  const workers = await startWorkers(parts, closers)
  let isAnswering = !config.roles.has('api')
  const running = { settlerRunning: workers.settlerRunning, isAnswering: () => isAnswering }
  const operator = { token: operatorToken, ...running }
  const operatorPort = await startOperator(parts, operator, closers)
  const hooks: ApiHooks = {
    onAccepted: workers.wakeSettler,
    beforeListening: async (acceptance) => sandbox?.fill(parts, acceptance),
    sandbox:
      sandbox && config.roles.has('api') && (await mayMakeOnDemand(db, logger)) ? sandbox.onDemand(parts) : undefined,
  }
  const api = config.roles.has('api') ? await startApi(parts, hooks, closers) : undefined
  isAnswering = true
  sandbox?.welcome(operatorPort, api)
}

/** @throws StartError when the bank profile cannot be used */
function bankOf({ bankProfile, payout }: Config, simulated: () => Bank | undefined): Bank | undefined {
  if (bankProfile === undefined) return payout.type === 'simulated' ? simulated() : undefined
  const setup = loadBankSetup(bankProfile)
  if (!setup.ok) throw new StartError(`BANK_PROFILE: ${setup.refusal.sentence}`)
  if (payout.type === 'bank_files' && setup.value.payments === undefined) {
    throw new StartError('BANK_PROFILE: PAYOUT_RAIL=bank_files needs "payments" in the bank profile.')
  }
  return { setup: setup.value }
}

/** Waits for both even when one fails, so that what the other opened can be closed. */
async function bothOrNeither<A, B>(one: A | Promise<A>, other: Promise<B>): Promise<[A, B]> {
  await Promise.allSettled([one, other])
  return Promise.all([one, other])
}

async function openDatabase(
  config: Config,
  { logger, metrics, closers }: { logger: Logger; metrics: Metrics; closers: Closers },
): Promise<Database> {
  const { databaseUrl: url, databasePoolSize: poolSize, dataDir } = config
  if (url !== undefined) await requireSessions({ url })
  const db = await (url === undefined
    ? openPglite({ dataDir: `${dataDir}/database`, logger })
    : openPostgres({ url, poolSize, logger }))
  closers.push(() => db.close())
  if (config.environment === 'live') await checkDurability(db, logger)
  const access = await readAccess(db)
  if (config.environment === 'live') requireLimited(access)
  if (access.isOwner) await prepareDatabase(db, config, { logger, metrics: metrics.retention })
  else await checkDatabase(db, config, access, logger)
  const needless = access.isOwner ? [] : needlessGroups(access, config.roles)
  if (needless.length > 0)
    logger.warn({ groups: needless }, 'the user of DATABASE_URL may do more than this process needs')
  if (db.kind === 'pglite') await endAllLeases(db)
  return db
}

/**
 * Outcomes on demand are made with the rights of the tables' owner. The groups of the roles have no rights for that, because live has the same groups: a
 * user who is only in these has the rest of a sandbox.
 */
async function mayMakeOnDemand(db: Database, logger: Logger): Promise<boolean> {
  const { isOwner } = await readAccess(db)
  if (!isOwner) logger.info('no outcomes on demand: the user of DATABASE_URL does not own the tables')
  return isOwner
}

async function checkDurability(db: Database, logger: Logger): Promise<void> {
  const durability = await readDurability(db)
  requireDurability(durability)
  logger.info({ synchronousStandbys: durability.synchronousStandbys }, describeReplication(durability))
}
