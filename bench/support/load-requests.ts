/** The requests of the load generator, as they go over the wire. */
import { randomUUID } from 'node:crypto'
import type { LoadJob } from './load.ts'

/** Makes one request after another: reads of the paths at random, or new mints. */
export function requestsOf(
  port: number,
  { apiKey, mint, paths }: Pick<LoadJob, 'apiKey' | 'mint' | 'paths'>,
): () => string {
  const common = `Host: 127.0.0.1:${port}\r\nAuthorization: Bearer ${apiKey}\r\n`
  if (mint === undefined) {
    const requests = paths.map((path) => `GET ${path} HTTP/1.1\r\n${common}\r\n`)
    return () => requests[Math.floor(Math.random() * requests.length)] ?? ''
  }
  const run = randomUUID()
  let count = 0
  return () => {
    count += 1
    const body = JSON.stringify({ referenceId: `${run}-${count}`, ...mint })
    return (
      `POST /v1/mints HTTP/1.1\r\n${common}Idempotency-Key: ${run}-${count}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
    )
  }
}
