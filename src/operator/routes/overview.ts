/** GET /overview: flows, queues, and what waits for a person, at one look. */
import type { FastifyInstance } from 'fastify'
import { formatAmount } from '../../money.ts'
import { countInProgress } from '../../orders/read/orders.sql.ts'
import { countOpenPayouts } from '../../payouts/payouts.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { adviceOn } from '../orders/waiting.ts'
import { readAlarms, readFlows, readQueues } from '../overview.sql.ts'
import { readNewestRun } from '../reconcile/runs.sql.ts'

export function overviewRoutes(app: FastifyInstance, { db }: OperatorDeps): void {
  app.get('/overview', async () => {
    const [orders, payouts, { flows, isWhole }, chains, alarms, run] = await Promise.all([
      ...([countInProgress(db), countOpenPayouts(db), readFlows(db), readQueues(db), readAlarms(db)] as const),
      readNewestRun(db),
    ])
    return {
      ok: true,
      orders: Object.fromEntries(orders),
      payouts: Object.fromEntries(payouts),
      lastDay: {
        isWhole,
        flows: flows.map(({ amountMicro, ...flow }) => ({ ...flow, coin: formatAmount(amountMicro) })),
      },
      chains: chains.map(({ hold, ...chain }) => ({
        ...chain,
        hold: hold && { ...hold, advice: adviceOn(hold.reason) },
      })),
      alarms,
      reconciliation: run && {
        finishedAt: run.finishedAt,
        differences: Object.fromEntries(run.differences),
      },
    }
  })
}
