/** The Prometheus metrics of this process, shown by the operator API at /metrics. */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { KeyMetrics } from '../chain/key-gas.ts'
import type { HttpMetrics } from '../http/request-log.ts'
import { showLog } from '../logs/metrics.ts'
import type { Run } from '../operator/reconcile/runs.sql.ts'
import type { AskMetrics } from '../payouts/ask.ts'
import type { BurnMetrics } from '../payouts/burns.ts'
import { createPayoutMetrics } from '../payouts/metrics.ts'
import { type ReserveLook, showReserves } from '../reserves/metrics.ts'
import type { RetentionMetrics } from '../retention/keeper.ts'
import type { SettlementMetrics } from '../settlement/metrics.ts'
import { createSettlementMetrics } from '../settlement/registered-metrics.ts'
import { type CourierMetrics, createCourierMetrics, showOverdue } from '../webhooks/metrics.ts'
import { showClock, showOffered, showSettings } from './agreement.ts'
import { showCertificates } from './certificates.ts'
import { keyMetrics } from './keys.ts'
import { SECONDS, showSeconds } from './waiting.ts'

export type Metrics = {
  registry: Registry
  http: HttpMetrics
  settlement: SettlementMetrics
  payer: AskMetrics
  burns: BurnMetrics
  courier: CourierMetrics
  retention: RetentionMetrics
  keys: KeyMetrics
  /** Counts a wrong token of an operator. */
  wrongToken(): void
  /** A gauge that is 1 for each role of this process: of a role that no process has, there is no other sign. */
  showRoles(roles: Iterable<string>): void
  /** A gauge that is 1 for each chain on which this process accepts orders. */
  showOffered(chainIds: () => Iterable<number>): void
  /** A gauge of the settings in which processes must agree. */
  showSettings(settings: Iterable<readonly [name: string, value: string]>): void
  /** A gauge of how far this process's clock is ahead of the database's. */
  showClock(readNow: () => Promise<Date>): void
  /** A gauge of how long the certificates in these files are good, in seconds. */
  showCertificates(files: Iterable<string>): void
  /** A gauge of whether this process reaches its database: what else is read from it stays as it was while it does not. */
  showDatabase(answers: () => Promise<boolean>): void
  /** Registers a gauge of whether Redis answered this process last. @returns what is to be told */
  showRedis(): (answers: boolean) => void
  /** Registers a gauge of orders in progress by status, counted whenever the metrics are read. */
  countOrders(count: () => Promise<ReadonlyMap<string, number>>): void
  /** The same for payouts that are not paid. */
  countPayouts(count: () => Promise<ReadonlyMap<string, number>>): void
  /** Gauges of the newest reconciliation of any process. */
  showReconciliation(read: () => Promise<Run | undefined>): void
  /** A gauge of how long the oldest line of the audit log has waited for its seal, in seconds. */
  showAuditUnsealed(readSeconds: () => Promise<number>): void
  /** A gauge of how long an open transaction has kept events from their readers, in seconds. */
  showEventsHeldBack(readSeconds: () => Promise<number>): void
  /** A gauge of how long the oldest payment waits that the rail of files has accepted and no file has put out, in seconds. */
  showPaymentFiles(readSeconds: () => Promise<number>): void
  /** A gauge of how long the oldest file of a bank waits to be taken in, in seconds. */
  showBankFiles(readSeconds: () => Promise<number>): void
  /** A gauge of how long the calendar of banks still covers, in seconds. */
  showBankCalendar(readSeconds: () => Promise<number>): void
  /** A gauge of webhooks that wait beyond their time, by endpoint, in seconds. */
  showOverdueWebhooks(read: () => Promise<ReadonlyMap<string, number>>): void
  /** Gauges of what stands behind the coin. */
  showReserves(read: () => Promise<ReserveLook>): void
}

const REQUEST_BUCKETS_SECONDS = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10]

/** Makes the registry with every metric of the service. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  showLog(registry)
  const requests = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Requests of partners by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: REQUEST_BUCKETS_SECONDS,
    registers,
  })
  const wrongTokens = new Counter({
    name: 'operator_wrong_tokens_total',
    help: 'Requests to the operator API with a wrong token, or none',
    registers,
  })
  return {
    registry,
    http: { observe: ({ method, route, status, seconds }) => requests.observe({ method, route, status }, seconds) },
    settlement: createSettlementMetrics(registry),
    ...createPayoutMetrics(registry),
    courier: createCourierMetrics(registry),
    retention: retentionMetrics(registry),
    keys: keyMetrics(registry),
    wrongToken: () => wrongTokens.inc(),
    showRoles: (roles) => showRoles(registry, roles),
    showOffered: (chainIds) => showOffered(registry, chainIds),
    showSettings: (settings) => showSettings(registry, settings),
    showClock: (readNow) => showClock(registry, readNow),
    showCertificates: (files) => showCertificates(registry, files),
    showDatabase: (answers) => showDatabase(registry, answers),
    showRedis: () => showRedis(registry),
    countOrders: (count) =>
      showByStatus(registry, 'orders_in_progress', 'Orders that are pending or processing', count),
    countPayouts: (count) => showByStatus(registry, 'payouts_open', 'Payouts that the rail does not have', count),
    showReconciliation: (read) => showReconciliation(registry, read),
    showAuditUnsealed: (read) => showSeconds(registry, SECONDS.auditUnsealed, read),
    showEventsHeldBack: (read) => showSeconds(registry, SECONDS.eventsHeldBack, read),
    showPaymentFiles: (read) => showSeconds(registry, SECONDS.filesWaiting, read),
    showBankFiles: (read) => showSeconds(registry, SECONDS.bankFilesLeft, read),
    showBankCalendar: (read) => showSeconds(registry, SECONDS.calendarCovers, read),
    showOverdueWebhooks: (read) => showOverdue(registry, read),
    showReserves: (read) => showReserves(registry, read),
  }
}

function retentionMetrics(registry: Registry): RetentionMetrics {
  const [labelNames, registers] = [['table'], [registry]]
  const dropped = new Counter({
    name: 'retention_months_dropped_total',
    help: 'Monthly partitions that were dropped',
    labelNames,
    registers,
  })
  const ahead = new Gauge({
    name: 'retention_months_ahead',
    help: 'Months after this one that have a partition',
    labelNames,
    registers,
  })
  const strays = new Gauge({
    name: 'retention_default_rows',
    help: '1 when rows lie in the default partition',
    labelNames,
    registers,
  })
  return {
    dropped: (table) => dropped.inc({ table }),
    monthsAhead: (table, months) => ahead.set({ table }, months),
    strays: (table, there) => strays.set({ table }, there ? 1 : 0),
  }
}

/** @param count says every status each time, also one that nothing has any more: what is shown of it would stay otherwise */
function showByStatus(
  registry: Registry,
  name: string,
  help: string,
  count: () => Promise<ReadonlyMap<string, number>>,
): void {
  new Gauge({
    name,
    help,
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      for (const [status, counted] of await count().catch(() => new Map<string, number>())) {
        this.set({ status }, counted)
      }
    },
  })
}

function showRoles(registry: Registry, roles: Iterable<string>): void {
  const help = '1 for each role of this process'
  const gauge = new Gauge({ name: 'process_role', help, labelNames: ['role'], registers: [registry] })
  for (const role of roles) gauge.set({ role }, 1)
}

function showDatabase(registry: Registry, answers: () => Promise<boolean>): void {
  new Gauge({
    name: 'database_up',
    help: '1 when this process reaches its database',
    registers: [registry],
    async collect() {
      this.set((await answers()) ? 1 : 0)
    },
  })
}

function showRedis(registry: Registry): (answers: boolean) => void {
  const help = '1 when Redis answered last; else this process counts rate limits for itself'
  const gauge = new Gauge({ name: 'redis_up', help, registers: [registry] })
  return (answers) => gauge.set(answers ? 1 : 0)
}

/** Each gauge reads by itself: the registry shows them in no order. */
function showReconciliation(registry: Registry, read: () => Promise<Run | undefined>): void {
  type Show = (gauge: Gauge, run: Run) => void
  const gauge = (name: string, help: string, show: Show, labelNames: string[] = [], before?: (gauge: Gauge) => void) =>
    new Gauge({
      name: `reconcile_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const run = await read().catch(() => 'unknown' as const)
        if (run === 'unknown') return
        this.reset()
        if (run === undefined) before?.(this)
        else show(this, run)
      },
    })
  const sinceStart = (shown: Gauge) => shown.set(process.uptime())
  const age: Show = (shown, run) => shown.set(run.ageMs / 1_000)
  gauge('age_seconds', 'Time since the newest reconciliation, or this start before the first', age, [], sinceStart)
  gauge('duration_seconds', 'How long it took', (shown, run) => shown.set(run.durationMs / 1_000))
  const perKind = (shown: Gauge, run: Run) => {
    for (const [kind, count] of run.differences) shown.set({ kind }, count)
  }
  gauge('differences', 'Differences that it found', perKind, ['kind'])
}
