/** What Prometheus is told of the certificates that the settings name: connections that are open go on past their end, and new ones fail at once. */
import { X509Certificate } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { Gauge, type Registry } from 'prom-client'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Registers a gauge of how long the one in each file that ends first is good. It stays as it was where the file cannot be read just now. */
export function showCertificates(registry: Registry, files: Iterable<string>): void {
  new Gauge({
    name: 'certificate_valid_seconds',
    help: 'How long the certificates of a file that the settings name are good, below zero once one has ended',
    labelNames: ['file'],
    registers: [registry],
    async collect() {
      for (const file of files) {
        const endsMs = await endOf(file).catch(() => undefined)
        if (endsMs !== undefined) this.set({ file }, (endsMs - Date.now()) / 1_000)
      }
    },
  })
}

/** When the first of a file's certificates ends; undefined when it holds none. */
async function endOf(file: string): Promise<number | undefined> {
  const found = (await readFile(file, 'utf8')).match(CERTIFICATE) ?? []
  const ends = found.map((pem) => new X509Certificate(pem).validToDate.getTime())
  return ends.length === 0 ? undefined : Math.min(...ends)
}
