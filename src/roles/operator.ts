/** The operator port: the operator API where the role operator runs, and probes and metrics in every process. */
import type { AddressInfo } from 'node:net'
import { secondsCovered } from '../bank-files/calendar/schedule.ts'
import { agreedSettings } from '../config/agreed.ts'
import { createConsole } from '../console/console.ts'
import { readNow } from '../db/now.sql.ts'
import { forScrape } from '../metrics/scrape.ts'
import { createOperatorApp, createProbes } from '../operator/app.ts'
import { createAuthentication, createRecognition } from '../operator/authenticate.ts'
import { whoRuns } from '../operator/cli/who-runs.ts'
import type { ProbeDeps } from '../operator/deps.ts'
import { createDirectory } from '../operator/directory.ts'
import { createFewLooks } from '../operator/few-looks.ts'
import { createHealth, databaseAnswers, type HealthDeps } from '../operator/health.ts'
import { createKeyWatch } from '../operator/key-watch.ts'
import { readNewestRun } from '../operator/reconcile/runs.sql.ts'
import { readUnsealedSeconds, SEALED_AUDIT } from '../operator/sealed-audit.sql.ts'
import { recordWithoutFourEyes } from '../operator/without-four-eyes.ts'
import { createWrongTokens } from '../operator/wrong-tokens.ts'
import { countInProgress } from '../orders/read/orders.sql.ts'
import { readFilingSeconds } from '../payment-files/late.sql.ts'
import { countOpenPayouts } from '../payouts/payouts.sql.ts'
import { readReserveFacts } from '../reserves/facts.sql.ts'
import { readBooksAge, readProofAge } from '../reserves/proofs.sql.ts'
import { createSealer } from '../seals/sealer.ts'
import { requireOwnContracts } from '../settlement/own-contracts.ts'
import { listenOn, StartError } from '../start/start-failure.ts'
import { readLeftSeconds } from '../statements/left.sql.ts'
import { createWebhookAdmin } from '../webhooks/admin.ts'
import { readOverdueSeconds } from '../webhooks/queue/overdue.sql.ts'
import { createSender } from '../webhooks/send.ts'
import { bankCalendarOf, bankImportOf, bankReaderOf, payeeProblemOf, paymentFilesOf } from './bank.ts'
import { type Closers, originOf, type Parts, secretsOf, startWorking } from './parts.ts'

/**
 * Listens on OPERATOR_HOST and OPERATOR_PORT.
 * @param given.token OPERATOR_TOKEN, where there is one
 * @returns the origin, and the console's address with a one-time login: undefined where none is given out
 * @throws StartError when the port is taken, or nobody could ever sign in; DatabaseUnsuitableError when the database belongs to other contracts
 */
export async function startOperator(
  parts: Parts,
  { token, ...running }: { token: string | undefined } & Pick<HealthDeps, 'settlerRunning' | 'isAnswering'>,
  closers: Closers,
): Promise<{ url: string; consoleLogin: () => string | undefined }> {
  const { config, db, chains, lost, logger, metrics, stopping } = parts
  measureProcess(parts)
  const keyWatch = createKeyWatch({ chains, isLost: lost.isLost, logger, metrics: metrics.keys })
  startWorking(keyWatch, closers)
  const probes: ProbeDeps = {
    logger,
    health: createHealth({
      db,
      chains,
      ...running,
      isStopping: () => stopping.aborted,
      lowKeys: keyWatch.lowKeys,
      isLost: lost.isLost,
    }),
    metrics: metrics.registry,
  }
  const serves = config.roles.has('operator')
  const { app, issueLogin } = serves
    ? await operatorApp(parts, probes, token)
    : { app: createProbes(probes), issueLogin: () => undefined }
  if (serves) startAuditSealer(parts, closers)
  closers.push(() => app.close())
  const { operatorHost: host, operatorPort: port } = config
  await listenOn(() => app.listen({ host, port }), { host, port, setting: 'OPERATOR_PORT' })
  const address = app.server.address() as AddressInfo
  logger.info(
    { host: address.address, port: address.port },
    serves ? 'operator API listening' : 'probes and metrics listening',
  )
  const url = originOf(address)
  return {
    url,
    consoleLogin() {
      const code = issueLogin()
      // In the fragment, which browsers keep to themselves.
      return code && `${url}/console/#login=${code}`
    },
  }
}

/** What is measured in every process. */
function measureProcess({ config, chains, defaultChainId, db, metrics }: Parts): void {
  metrics.showRoles(config.roles)
  metrics.showSettings(agreedSettings({ ...config, chains: chains.map((chain) => chain.config), defaultChainId }))
  metrics.showClock(forScrape(() => readNow(db)))
  metrics.showCertificates(config.certificateFiles)
  metrics.showDatabase(() => databaseAnswers(db))
  metrics.countOrders(forScrape(() => countInProgress(db)))
  metrics.countPayouts(forScrape(() => countOpenPayouts(db)))
  metrics.showReconciliation(forScrape(() => readNewestRun(db)))
}

const accountKeysOf = (bank: Parts['bank']) => (bank?.setup.accounts ?? []).map(({ key }) => key)

/** What is measured only where the role operator runs. */
function measureForOperators(parts: Parts): void {
  const { db, bank, metrics } = parts
  const awaited = accountKeysOf(bank)
  const readReserves = async () => {
    const [facts, proofAgeMs, booksAgeMs] = [await readReserveFacts(db), await readProofAge(db), await readBooksAge(db)]
    return { facts, proofAgeMs, awaited, booksAgeMs }
  }
  metrics.showReserves(forScrape(readReserves))
  metrics.showPaymentFiles(forScrape(() => readFilingSeconds(db)))
  metrics.showBankFiles(forScrape(() => readLeftSeconds(db)))
  const calendar = bankCalendarOf(parts)
  if (calendar !== undefined) metrics.showBankCalendar(async () => secondsCovered(calendar, new Date()))
  metrics.showOverdueWebhooks(forScrape(() => readOverdueSeconds(db)))
}

function startAuditSealer({ db, logger, metrics }: Parts, closers: Closers): void {
  metrics.showAuditUnsealed(forScrape(() => readUnsealedSeconds(db)))
  startWorking(createSealer(SEALED_AUDIT, { db, logger }), closers)
}

/** The operator API and the console. @throws as `startOperator` */
export async function operatorApp(parts: Parts, probes: ProbeDeps, sharedToken: string | undefined) {
  const { config, db, chains, logger, metrics } = parts
  await requireOwnContracts(db, chains)
  measureForOperators(parts)
  const secrets = secretsOf(parts)
  const { environment, webhookAllowLoopback: allowLoopback } = config
  const directory = await createDirectory(db)
  const provider = config.identityProvider
  if (sharedToken === undefined && provider === undefined && !(await directory.hasAdmins()).value) {
    throw new StartError('Set OPERATOR_TOKEN: nobody else can sign in until two admins have.')
  }
  await recordWithoutFourEyes({ db, logger, config }, whoRuns())
  const refusesTokens = provider !== undefined && environment === 'live'
  const people = { sharedToken, environment, directory, refusesTokens }
  const signingIn = {
    authenticate: createAuthentication(people),
    wrongTokens: createWrongTokens({ logger, counted: metrics.wrongToken }),
  }
  const recognize = createRecognition(people)
  const origin = config.consoleOrigin
  const identity = provider && { config: provider, secrets }
  const about = { config, origin, sharedToken, identity, refusesTokens }
  const looks = createFewLooks(db, config.databasePoolSize)
  // What operators have taken in or put out takes turns as well, and leaves connections to whoever stops something.
  const banking = { ...parts, db: looks.db }
  const pages = createConsole({ ...signingIn, ...about, db, logger, recognize })
  const app = createOperatorApp({
    ...probes,
    ...signingIn,
    authenticate: pages.authenticate,
    refusesTokens,
    provider: provider?.issuer,
    browser: pages.browser,
    signOut: pages.sessions.endAll,
    config,
    db: looks.db,
    looks,
    secrets,
    chains,
    isLost: parts.lost.isLost,
    webhooks: createWebhookAdmin({ db: looks.db, secrets, send: createSender({ allowLoopback }), allowLoopback }),
    bank: bankImportOf(banking),
    bankAccounts: accountKeysOf(parts.bank),
    readsBankFile: bankReaderOf(banking),
    payeeProblem: payeeProblemOf(parts),
    paymentFiles: paymentFilesOf(banking),
  })
  pages.register(app)
  return { app, issueLogin: pages.issueLogin }
}
