/**
 * The roles that work in the background: settler, payer, courier. Housekeeping goes with the settler; with the payer what is about
 * money at the bank and the books: statements, the sealer, the reconciliation, the proof of reserves.
 */
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { createWitness } from '../chain/witness.ts'
import { ORDERS_ACCEPTED, PAYOUTS_DUE } from '../db/channels.ts'
import type { Database } from '../db/database.ts'
import { createLedgerSealer } from '../ledger/sealer.ts'
import { createHourlyReconciliation } from '../operator/reconcile/hourly.ts'
import { createBurnWatches } from '../payouts/burn-watches.ts'
import { createPayer } from '../payouts/payer.ts'
import type { Rail } from '../payouts/rail.ts'
import { createHttpRail } from '../payouts/rails/http.ts'
import { createSimulatedRail } from '../payouts/rails/simulated.ts'
import { createProver } from '../reserves/prover.ts'
import { dropMonths, makeMonths } from '../retention/keeper.ts'
import { requireOwnContracts } from '../settlement/own-contracts.ts'
import { createSettler } from '../settlement/settler.ts'
import { createCourier } from '../webhooks/courier.ts'
import { createSteadyClock } from '../webhooks/steady-clock.ts'
import { createLoop } from '../work-loop.ts'
import { startBankFilesRail, startReader } from './bank.ts'
import { type Closers, type Parts, secretsOf, startWorking } from './parts.ts'

const HOUSEKEEPING_MS = 60 * 60_000

/** By what name a part of this process holds leases: no other part of any process has it. */
const newHolder = () => `${hostname()}-${process.pid}-${randomUUID()}`

export type Workers = {
  wakeSettler: (chainId: number) => void
  /** Undefined where this process has no settler. */
  settlerRunning: (() => boolean) | undefined
}

/** Starts the background roles that the configuration names. */
export async function startWorkers(parts: Parts, closers: Closers): Promise<Workers> {
  const { roles } = parts.config
  if (roles.has('courier')) await startCourier(parts, closers)
  if (roles.has('payer')) {
    await startPayer(parts, closers)
    startSealer(parts, closers)
    startReconciliation(parts, closers)
    startReader(parts, closers)
    startProver(parts, closers)
  }
  if (!roles.has('settler')) return { wakeSettler: () => {}, settlerRunning: undefined }
  startHousekeeping(parts, closers)
  return await startSettler(parts, closers)
}

function startRail(parts: Parts, closers: Closers): Rail {
  const { config, db } = parts
  if (config.payout.type === 'bank_files') return startBankFilesRail(parts, closers)
  return config.payout.type === 'simulated' ? createSimulatedRail(db) : createHttpRail(config.payout)
}

async function startSettler(parts: Parts, closers: Closers): Promise<Workers> {
  const { config, db, chains, logger, metrics } = parts
  const settler = createSettler({
    db,
    chains,
    logger,
    holder: newHolder(),
    metrics: metrics.settlement,
    reserve: config.reserve,
    onForeignMovement: config.onForeignMovement,
  })
  settler.start()
  let running = true
  closers.push(async () => {
    running = false
    await settler.stop()
  })
  await listen(db, ORDERS_ACCEPTED, (payload) => settler.wake(Number(payload)), closers)
  return { wakeSettler: (chainId) => settler.wake(chainId), settlerRunning: () => running }
}

async function startPayer(parts: Parts, closers: Closers): Promise<void> {
  const { db, chains, lost, logger, metrics } = parts
  await requireOwnContracts(db, chains)
  const payer = createPayer({
    db,
    rail: startRail(parts, closers),
    secrets: secretsOf(parts),
    logger,
    metrics: metrics.payer,
  })
  startWorking(payer, closers)
  const witnessed = chains.map(({ config, nodes }) => ({
    chainId: config.chainId,
    witness: createWitness(config, nodes),
  }))
  const burns = createBurnWatches({
    db,
    chains: witnessed,
    isLost: lost.isLost,
    logger,
    metrics: metrics.burns,
    onSeen: payer.wake,
  })
  startWorking(burns, closers)
  const wake = () => {
    burns.wake()
    payer.wake()
  }
  await listen(db, PAYOUTS_DUE, wake, closers)
}

function startSealer({ db, logger }: Parts, closers: Closers): void {
  startWorking(createLedgerSealer({ db, logger }), closers)
}

function startReconciliation(parts: Parts, closers: Closers): void {
  const { db, chains, logger } = parts
  const secrets = secretsOf(parts)
  startWorking(createHourlyReconciliation({ db, chains, secrets, logger, holder: newHolder() }), closers)
}

function startProver({ config, db, chains, logger }: Parts, closers: Closers): void {
  const { reservesKey: key } = config
  if (key === undefined) return
  startWorking(createProver({ db, chains, logger, key }), closers)
}

async function startCourier(parts: Parts, closers: Closers): Promise<void> {
  const { config, db, logger, metrics } = parts
  const allowLoopback = config.webhookAllowLoopback
  const courier = createCourier({ db, logger, secrets: secretsOf(parts), allowLoopback, metrics: metrics.courier })
  startWorking(courier, closers)
}

function startHousekeeping({ config, db, logger, metrics }: Parts, closers: Closers): void {
  const clocks = { nowMs: Date.now, untilSteadyMs: createSteadyClock() }
  const deps = { db, logger, metrics: metrics.retention, retention: config.retention, ...clocks }
  const loop = createLoop({
    name: 'housekeeping',
    logger,
    async work() {
      await makeMonths(deps)
      const unsteadyMs = await dropMonths(deps)
      return { ms: unsteadyMs > 0 ? Math.min(unsteadyMs, HOUSEKEEPING_MS) : HOUSEKEEPING_MS, wakeable: true }
    },
  })
  startWorking(loop, closers)
}

async function listen(
  db: Database,
  channel: string,
  onNotify: (payload: string) => void,
  closers: Closers,
): Promise<void> {
  const unlisten = await db.listen(channel, onNotify)
  closers.push(unlisten)
}
