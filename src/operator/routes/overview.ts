/** GET /overview: flows, queues, and what waits for a person, at one look. */
import type { FastifyInstance } from 'fastify'
import type { Stopped } from '../../chain/admin.ts'
import { formatAmount } from '../../money.ts'
import { countInProgress } from '../../orders/read/orders.sql.ts'
import { countOpenPayouts } from '../../payouts/payouts.sql.ts'
import { readReserveFacts } from '../../reserves/facts.sql.ts'
import { availableOf, committedOf, type ReserveFacts, roomOf } from '../../reserves/guard.ts'
import type { OperatorDeps } from '../deps.ts'
import { adviceOn } from '../orders/hold-advice.ts'
import { readAlarms, readFlows, readQueues } from '../overview.sql.ts'
import { readNewestRun } from '../reconcile/runs.sql.ts'
import { createStoppedLook } from '../stopped.ts'

export function overviewRoutes(
  app: FastifyInstance,
  { db, config, chains: known, isLost = () => false }: OperatorDeps,
): void {
  const whatIsStopped = createStoppedLook(known, isLost)
  app.get('/overview', async () => {
    const [orders, payouts, { flows, isWhole }, chains, alarms, run, reserve, stopped] = await Promise.all([
      ...([countInProgress(db), countOpenPayouts(db), readFlows(db), readQueues(db), readAlarms(db)] as const),
      ...([readNewestRun(db), readReserveFacts(db), whatIsStopped()] as const),
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
        paused: viewStop(stopped.get(chain.chainId)),
        hold: hold && { ...hold, advice: adviceOn(hold.reason) },
      })),
      alarms,
      reserve: viewReserve(reserve, config.reserve),
      reconciliation: run && {
        finishedAt: run.finishedAt,
        differences: Object.fromEntries(run.differences),
      },
    }
  })
}

/** Null where nothing is stopped, and where no node says whether anything is. */
function viewStop(stopped: Stopped | undefined) {
  return stopped === undefined || stopped === 'nothing' ? null : { what: stopped, advice: adviceOn('paused') }
}

/** What the reserve lacks; nothing is known of that before the first statement. */
function viewReserve(facts: ReserveFacts, policy: OperatorDeps['config']['reserve']) {
  const [available, committed] = [availableOf(facts), committedOf(facts)]
  const { blind } = roomOf(facts, policy)
  const short = blind === 'no_statement' || available >= committed ? 0n : committed - available
  return {
    available: formatAmount(available),
    committed: formatAmount(committed),
    short: formatAmount(short),
    unknown: blind ?? null,
  }
}
