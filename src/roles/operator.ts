/** The operator API, which every process serves: probes and metrics are needed everywhere. */
import type { AddressInfo } from 'node:net'
import { createOperatorApp } from '../operator/app.ts'
import { createHealth } from '../operator/health.ts'
import { createKeyWatch } from '../operator/key-watch.ts'
import { readNewestRun } from '../operator/reconcile/runs.sql.ts'
import { countInProgress } from '../orders/read/orders.sql.ts'
import { createPayoutAdmin } from '../payouts/admin.ts'
import { countOpenPayouts } from '../payouts/payouts.sql.ts'
import { listenOn } from '../start-failure.ts'
import { createWebhookAdmin } from '../webhooks/admin.ts'
import { createSender } from '../webhooks/send.ts'
import { type Closers, originOf, type Parts } from './parts.ts'

/**
 * Starts the operator API on OPERATOR_HOST and OPERATOR_PORT.
 * @returns the API's origin
 * @throws StartError when the port is taken
 */
export async function startOperator(
  parts: Parts,
  { token, settlerRunning }: { token: string; settlerRunning: (() => boolean) | undefined },
  closers: Closers,
): Promise<string> {
  const { config, db, chains, logger, secrets, metrics, stopping } = parts
  const allowLoopback = config.webhookAllowLoopback
  metrics.countOrders(() => countInProgress(db))
  metrics.countPayouts(() => countOpenPayouts(db))
  metrics.showReconciliation(() => readNewestRun(db))
  const keyWatch = createKeyWatch({ chains, logger, metrics: metrics.keys })
  keyWatch.start()
  closers.push(() => keyWatch.stop())
  const app = createOperatorApp({
    config,
    db,
    chains,
    logger,
    token,
    webhooks: createWebhookAdmin({ db, secrets, send: createSender({ allowLoopback }), allowLoopback }),
    payouts: createPayoutAdmin(),
    health: createHealth({
      ...{ db, chains, settlerRunning },
      isStopping: () => stopping.aborted,
      lowKeys: keyWatch.lowKeys,
    }),
    metrics: metrics.registry,
  })
  closers.push(() => app.close())
  const { operatorHost: host, operatorPort: port } = config
  await listenOn(() => app.listen({ host, port }), port, 'OPERATOR_PORT')
  const address = app.server.address() as AddressInfo
  logger.info({ host: address.address, port: address.port }, 'operator API listening')
  return originOf(address)
}
