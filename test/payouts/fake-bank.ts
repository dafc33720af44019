/** A bank connector that misbehaves as told, and keeps a book by end-to-end id as a real one does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the bank does with one request. `lose…` carries the payout out but does not say so. */
export type Behaviour =
  | 'accept'
  | 'refuse'
  | 'accept with a long reference'
  | 'refuse at length'
  | 'lose by hanging'
  | 'lose by reset'
  | 'lose by garbage'
  | 'fail'
  | 'redirect'

export type BankRequest = { payoutId: string; endToEndId: string; body: string; authorization: string | undefined }

export type FakeBank = {
  url: string
  /** One per request received, in order. */
  requests: BankRequest[]
  /** End-to-end id → body of the payment that was carried out. */
  payments: Map<string, string>
  /** The bodies of a payout's payments that were carried out, oldest first. */
  paymentsOf(payoutId: string): string[]
  /** Requests with a known id but different details: with each, money would have been sent wrongly. */
  conflicts: BankRequest[]
  /** End-to-end ids of payments that came back. */
  returned: Set<string>
  /** What the next requests meet; when it is used up, requests are accepted. */
  script: Behaviour[]
  close(): Promise<void>
}

/** Starts the bank on a free port of 127.0.0.1. */
export async function startFakeBank(): Promise<FakeBank> {
  const bank = {
    requests: [] as BankRequest[],
    payments: new Map<string, string>(),
    conflicts: [] as BankRequest[],
    returned: new Set<string>(),
    script: [] as Behaviour[],
  }
  const server = createServer((request, response) => {
    if (request.method === 'GET') {
      answerStatus(bank, request, response)
      return
    }
    void readRequest(request).then((received) => {
      bank.requests.push(received)
      const behaviour = bank.script.shift() ?? 'accept'
      if (!['refuse', 'refuse at length', 'fail', 'redirect'].includes(behaviour)) {
        const earlier = bank.payments.get(received.endToEndId)
        if (earlier !== undefined && earlier !== received.body) bank.conflicts.push(received)
        else bank.payments.set(received.endToEndId, received.body)
      }
      answer(behaviour, received, response)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    ...bank,
    paymentsOf: (payoutId) => [...bank.payments.values()].filter((body) => body.includes(`"payoutId":"${payoutId}"`)),
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/payouts`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** It knows what it has paid, and what came back. */
function answerStatus(
  { payments, returned }: Pick<FakeBank, 'payments' | 'returned'>,
  { url = '' }: IncomingMessage,
  response: ServerResponse,
) {
  const endToEndId = url.slice(url.lastIndexOf('/') + 1)
  const isKnown = payments.has(endToEndId)
  const reference = `BANK-${endToEndId}`
  const body = returned.has(endToEndId)
    ? { status: 'returned', reference, reason: 'The account is closed.', at: new Date().toISOString() }
    : isKnown
      ? { status: 'accepted', reference }
      : { status: 'none' }
  response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

async function readRequest(request: IncomingMessage): Promise<BankRequest> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  const { authorization, 'idempotency-key': key } = request.headers
  const { payoutId } = JSON.parse(body) as { payoutId: string }
  return { payoutId, endToEndId: String(key), body, authorization }
}

/** A text longer than is kept, with a character that PostgreSQL cannot store. */
const WORDY = `\0${'x'.repeat(1_000)}`

function answer(behaviour: Behaviour, { endToEndId }: BankRequest, response: ServerResponse): void {
  const json = (status: number, body: unknown) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  }
  if (behaviour === 'accept') json(202, { status: 'accepted', reference: `BANK-${endToEndId}` })
  else if (behaviour === 'refuse') json(422, { status: 'refused', reason: 'The account is closed.' })
  else if (behaviour === 'accept with a long reference') json(202, { status: 'accepted', reference: WORDY })
  else if (behaviour === 'refuse at length') json(422, { status: 'refused', reason: WORDY })
  else if (behaviour === 'fail') json(500, { status: 'refused', reason: 'not to be believed with this status' })
  else if (behaviour === 'redirect') response.writeHead(307, { location: '/elsewhere' }).end()
  else if (behaviour === 'lose by garbage') response.writeHead(200).end('<html>accepted</html>')
  else if (behaviour === 'lose by reset') response.destroy()
}
