/** The partners' webhook receivers: they check every signature, note what arrives, and sometimes fail to acknowledge it. */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Hook } from '../judge/evidence.ts'
import type { Parties } from './parties.ts'

export type ReceiverFault = 'answer 500' | 'answer too late' | 'reset'

export type Receiver = {
  url: string
  fault: ReceiverFault | undefined
  /** What arrived so far; signatures are checked with the secrets of these parties. */
  hooks(parties: Parties): Hook[]
  /** When the first POST about each reference's end arrived. */
  endedAtMs: ReadonlyMap<string, number>
  close(): Promise<void>
}

const TOLERANCE_SECONDS = 300
/** Above the contract's five seconds. */
const LATE_MS = 6_000

type Arrival = { path: string; signature: string; atSeconds: number; body: string }

/** Starts one server for all integrations; each has a path of its own. */
export async function startReceiver(): Promise<Receiver> {
  const arrivals: Arrival[] = []
  const spoiled = new Set<string>()
  const endedAtMs = new Map<string, number>()

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString('utf8')
    const signature = String(incoming.headers['x-coin-signature'])
    arrivals.push({ path: incoming.url ?? '', signature, atSeconds: Date.now() / 1000, body })
    const { id, type, data } = JSON.parse(body) as { id: string; type: string; data: { referenceId: string } }
    if (!type.endsWith('.pending') && !endedAtMs.has(data.referenceId))
      endedAtMs.set(data.referenceId, performance.now())
    // Each event is spoiled once at most: the second retry comes only after a minute.
    const fault = spoiled.has(id) ? undefined : receiver.fault
    if (fault !== undefined) spoiled.add(id)
    if (fault === undefined) response.writeHead(204).end()
    else if (fault === 'answer 500') response.writeHead(500).end()
    else if (fault === 'reset') response.destroy()
    else setTimeout(() => response.writeHead(204).end(), LATE_MS).unref()
  }

  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    fault: undefined,
    hooks: (parties) => arrivals.map((arrival) => hookOf(arrival, parties)),
    endedAtMs,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return receiver
}

function hookOf({ path, signature, atSeconds, body }: Arrival, { integrations }: Parties): Hook {
  const integration = integrations.find(({ hookPath }) => hookPath === path)
  const { id, type, createdAt, data } = JSON.parse(body) as {
    id: string
    type: string
    createdAt: string
    data: {
      referenceId: string
      status: string
      amounts: { coin: string }
      blockchain: { txHash: string | null }
    }
  }
  return {
    integrationId: integration?.integrationId ?? '',
    isSigned: integration !== undefined && isSigned(signature, atSeconds, body, integration.hookSecret),
    eventId: id,
    type,
    reference: data.referenceId,
    status: data.status,
    amountCoin: data.amounts.coin,
    txHash: data.blockchain.txHash,
    happenedAt: createdAt,
    body,
  }
}

/** The contract's steps of verification, in independent code. */
function isSigned(header: string, atSeconds: number, body: string, secret: string): boolean {
  const parts = new Map(header.split(',').map((part) => part.split('=') as [string, string]))
  const [t, v1] = [parts.get('t') ?? '', parts.get('v1') ?? '']
  if (!/^\d+$/.test(t) || Math.abs(atSeconds - Number(t)) > TOLERANCE_SECONDS) return false
  const expected = createHmac('sha256', secret).update(`${t}.${body}`).digest()
  const given = Buffer.from(v1, 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
