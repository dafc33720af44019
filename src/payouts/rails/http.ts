/**
 * A bank connector over HTTP. It gets `POST {url}` with the payment as JSON and its end-to-end id as Idempotency-Key, and answers
 *   200, 201 or 202 with {"status":"accepted","reference":"…"}  it has the payment, now or from an earlier request
 *   422 with {"status":"refused","reason":"…"}                  it did not take it, and never will under this id. It is then asked
 *       what became of it, as below: of one that it calls accepted, paid or returned nothing is known
 * It gets `GET {url}/{endToEndId}`, which pays nothing, and answers
 *   200 with accepted or refused as above, {"status":"paid","reference":"…","at":"…Z"} or
 *       {"status":"returned","reference":"…","reason":"…","at":"…Z"}
 *       The time is not before 2020.
 *   404 with {"status":"none"}                                  it never got the payment, and certainly has not paid it
 * Everything else, late and broken answers included, leaves the payment's fate unknown: it is asked about again.
 */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { trimEndOf } from '../../values/trim-end.ts'
import type { PayoutInstruction, Rail, RailAnswer, RailStatus } from '../rail.ts'

const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Texts may have any length: an answer that decides must not be doubted for its wording. Whoever records it cuts what is kept.
 */
const Accepted = Compile(Type.Object({ status: Type.Literal('accepted'), reference: Type.String({ minLength: 1 }) }))
const Refused = Compile(Type.Object({ status: Type.Literal('refused'), reason: Type.String() }))
const Instant = Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?Z$' })
const Reference = Type.String({ minLength: 1 })
const Paid = Compile(Type.Object({ status: Type.Literal('paid'), reference: Reference, at: Instant }))
const Returned = Compile(
  Type.Object({ status: Type.Literal('returned'), reference: Reference, reason: Type.String(), at: Instant }),
)
/** Before any payment was made. */
const EARLIEST_MS = Date.UTC(2020, 0)
const IMPOSSIBLE_TIME = 'The bank connector says that it was paid, or came back, at a time that cannot be.'
const None = Compile(Type.Object({ status: Type.Literal('none') }))

/**
 * Makes the HTTP rail.
 * @param settings.connector tells one connector from another: no other is asked about what this one was asked for
 * @param settings.token sent as a bearer token; never logged
 * @param settings.timeoutMs for a whole request
 */
export function createHttpRail(settings: { url: string; connector: string; token: string; timeoutMs: number }): Rail {
  const { url, connector, token, timeoutMs } = settings
  const authorization = `Bearer ${token}`
  return {
    name: `http-${connector}`,
    async initiate(instruction) {
      const { endToEndId } = instruction
      const headers = { 'content-type': 'application/json', authorization, 'idempotency-key': endToEndId }
      // Both questions together: whoever has claimed the payout has it for so long.
      const signal = AbortSignal.timeout(timeoutMs)
      const answer = await ask(url, { method: 'POST', signal, headers, body: bodyOf(instruction) }, answerOf)
      if (answer.result !== 'refused') return answer
      const { result } = await status(endToEndId, signal)
      return isTaken(result) ? { result: 'unknown', reason: sayContradiction(result, answer.reason) } : answer
    },
    status: ({ endToEndId }) => status(endToEndId),
  }

  /** Pays nothing. */
  async function status(endToEndId: string, signal = AbortSignal.timeout(timeoutMs)): Promise<RailStatus> {
    return await ask(addressOf(url, endToEndId), { method: 'GET', signal, headers: { authorization } }, statusOf)
  }
}

const isTaken = (result: RailStatus['result']) => result !== 'none' && result !== 'refused' && result !== 'unknown'

/** To believe the refusal would have people pay again, or mint the coin back, beside what was paid. */
const sayContradiction = (result: string, reason: string): string =>
  `The bank connector refuses the payment (${reason}), and calls it ${result} when it is asked what became of it: ask the bank. Until it says one thing, nothing counts.`

/** Where the connector says what it knows of a payment: below the address to which payments are posted. */
function addressOf(url: string, endToEndId: string): string {
  const address = new URL(url)
  address.pathname = `${trimEndOf(address.pathname, '/')}/${endToEndId}`
  return address.href
}

/** Asks the connector; whatever goes wrong leaves the answer unknown. */
async function ask<A>(
  url: string,
  request: RequestInit,
  read: (status: number, body: unknown) => A,
): Promise<A | { result: 'unknown'; reason: string }> {
  try {
    const response = await fetch(url, { redirect: 'manual', ...request })
    return read(response.status, await readJson(response))
  } catch (error) {
    return { result: 'unknown', reason: `The bank connector did not answer: ${causeOf(error)}.` }
  }
}

/** Only 404 with a body that says so means that it never got the payment: a wrong address answers 404 too. */
function statusOf(status: number, body: unknown): RailStatus {
  if (status === 404 && None.Check(body)) return { result: 'none' }
  if (status === 200 && Accepted.Check(body)) return { result: 'accepted', railReference: body.reference }
  if (status === 200 && Refused.Check(body)) return { result: 'refused', reason: body.reason }
  if (status === 200 && (Paid.Check(body) || Returned.Check(body))) {
    const effectiveAt = instantOf(body.at)
    if (effectiveAt === undefined) return { result: 'unknown', reason: IMPOSSIBLE_TIME }
    const { reference } = body
    return body.status === 'returned'
      ? { result: 'returned', reference, reason: body.reason, effectiveAt }
      : { result: 'paid', reference, effectiveAt }
  }
  return unknown(status)
}

/** These alone say something, if their body does. */
const SAYING = [200, 201, 202, 404, 422]

/** What it answers is quoted to people, who may not take a mere 200 for a yes. */
function unknown(status: number): { result: 'unknown'; reason: string } {
  const what = SAYING.includes(status)
    ? ', but not in words that say what became of the payment: nobody knows whether it was paid'
    : ''
  return { result: 'unknown', reason: `The bank connector answered ${status}${what}.` }
}

/**
 * Undefined for what is no instant, such as one on a 30th of February, or what a program says that has no time, such as one in the year 1 or in 1970:
 * the books would have the payment on that day for ever.
 */
function instantOf(text: string): Date | undefined {
  const instant = new Date(text)
  const day = text.slice(0, 10)
  const began = new Date(day)
  if (!(instant.getTime() >= EARLIEST_MS) || !began.toISOString().startsWith(day)) return undefined
  return instant
}

function bodyOf({ payoutId, endToEndId, amountSen, bic, account, name, reference }: PayoutInstruction): string {
  const whole = amountSen / 100n
  const sen = (amountSen % 100n).toString().padStart(2, '0')
  return JSON.stringify({
    payoutId,
    endToEndId,
    amount: `${whole}.${sen}`,
    currency: 'MYR',
    creditor: { bic, account, name },
    reference,
  })
}

function answerOf(status: number, body: unknown): RailAnswer {
  const isSuccess = status === 200 || status === 201 || status === 202
  if (isSuccess && Accepted.Check(body)) return { result: 'accepted', railReference: body.reference }
  if (status === 422 && Refused.Check(body)) return { result: 'refused', reason: body.reason }
  return unknown(status)
}

async function readJson(response: Response): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_ANSWER_BYTES) return undefined
    chunks.push(chunk)
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return undefined
  }
}

/** Names only the kind of failure: a message could repeat the address with its credentials. */
function causeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown cause'
  const cause = error.cause as { code?: unknown } | undefined
  return typeof cause?.code === 'string' ? cause.code : error.name
}
