/** The metrics of a process with every role, of which nobody asks for a value. */
import { createMetrics, type Metrics } from '../../src/metrics/metrics.ts'

/** Makes them, also those that only some roles show. */
export function everyMetric(): Metrics {
  const metrics = createMetrics()
  metrics.showRoles([])
  metrics.showOffered(() => [])
  metrics.showSettings([])
  metrics.showClock(async () => new Date())
  metrics.showCertificates([])
  metrics.showDatabase(async () => true)
  metrics.countOrders(async () => new Map())
  metrics.countPayouts(async () => new Map())
  metrics.showReconciliation(async () => undefined)
  metrics.showAuditUnsealed(async () => 0)
  metrics.showEventsHeldBack(async () => 0)
  metrics.showPaymentFiles(async () => 0)
  metrics.showBankFiles(async () => 0)
  metrics.showBankCalendar(async () => 0)
  metrics.showRedis()
  metrics.showOverdueWebhooks(async () => new Map())
  metrics.showReserves(async () => Promise.reject(new Error('nobody asks')))
  return metrics
}
