/** A bank over HTTP that keeps a book of what it paid, and misbehaves as told. Its book is evidence. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BankEvidence, Payment } from '../judge/evidence.ts'

export type BankFault = 'refuse' | 'hang before paying' | 'hang after paying' | 'pay and answer 500' | 'pay and reset'

export type Bank = {
  url: string
  /** The fault that requests meet until this is set again; undefined: the bank accepts. */
  fault: BankFault | undefined
  book(): BankEvidence
  close(): Promise<void>
}

/** How often a payout is spoiled before it is accepted, so that its pauses between attempts stay short. */
const MOST_FAULTS_EACH = 2
const HANG_MS = 20_000

type Request = {
  payoutId: string
  endToEndId: string
  amount: string
  creditor: { account: string }
  reference: string
}

/** Starts the bank on a free port of 127.0.0.1. */
export async function startBank(token: string): Promise<Bank> {
  const payments = new Map<string, Payment & { body: string }>()
  const conflicts: string[] = []
  const spoiled = new Map<string, number>()

  function pay(request: Request, body: string): void {
    const { payoutId, endToEndId, amount, creditor, reference } = request
    const earlier = payments.get(endToEndId)
    if (earlier !== undefined && earlier.body !== body) conflicts.push(payoutId)
    if (earlier !== undefined) return
    payments.set(endToEndId, { payoutId, reference, amountSen: senOf(amount), account: creditor.account, body })
  }

  /** The bank refuses only what it has not paid, as a bank that remembers its ids does. */
  function faultFor(endToEndId: string): BankFault | undefined {
    const times = spoiled.get(endToEndId) ?? 0
    if (bank.fault === undefined || times >= MOST_FAULTS_EACH) return undefined
    if (bank.fault === 'refuse' && payments.has(endToEndId)) return undefined
    spoiled.set(endToEndId, times + 1)
    return bank.fault
  }

  /** It never takes back what it has paid, and keeps nothing of what it refuses. */
  function sayStatus(url: string, response: ServerResponse): void {
    const endToEndId = url.slice(url.lastIndexOf('/') + 1)
    if (payments.has(endToEndId)) json(response, 200, { status: 'accepted', reference: `BANK-${endToEndId}` })
    else json(response, 404, { status: 'none' })
  }

  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = ''
    for await (const chunk of incoming) body += String(chunk)
    const { headers } = incoming
    if (headers.authorization !== `Bearer ${token}`) return void response.writeHead(401).end()
    if (incoming.method === 'GET') return sayStatus(incoming.url ?? '', response)
    const request = JSON.parse(body) as Request
    const { payoutId, endToEndId } = request
    if (headers['idempotency-key'] !== endToEndId) conflicts.push(payoutId)
    const fault = faultFor(endToEndId)
    if (fault !== 'refuse' && fault !== 'hang before paying') pay(request, body)
    if (fault === undefined) json(response, 202, { status: 'accepted', reference: `BANK-${endToEndId}` })
    else if (fault === 'refuse') json(response, 422, { status: 'refused', reason: 'The account is closed.' })
    else if (fault === 'pay and answer 500') json(response, 500, { error: 'internal' })
    else if (fault === 'pay and reset') response.destroy()
    else setTimeout(() => response.destroy(), HANG_MS).unref()
  }

  const server = createServer((incoming, response) => void serve(incoming, response).catch(() => response.destroy()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const bank: Bank = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/payouts`,
    fault: undefined,
    book: () => ({
      payments: [...payments.values()].map(({ body: _, ...payment }) => payment),
      conflicts: [...conflicts],
    }),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return bank
}

function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

function senOf(amount: string): bigint {
  const match = /^(\d+)\.(\d\d)$/.exec(amount)
  if (match === null) throw new Error(`not an amount of whole sen: ${amount}`)
  return BigInt(`${match[1]}${match[2]}`)
}
