/** What Prometheus is told of the log: of one that reaches nobody there is no other sign. */
import { Gauge, type Registry } from 'prom-client'
import { secondsUnwritten } from './output.ts'

/** Registers a gauge of how long lines have not been written. */
export function showLog(registry: Registry): void {
  new Gauge({
    name: 'log_unwritten_seconds',
    help: 'How long lines of the log have waited for whoever reads standard output, or for its disk',
    registers: [registry],
    collect() {
      this.set(secondsUnwritten())
    },
  })
}
