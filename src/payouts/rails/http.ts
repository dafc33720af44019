/**
 * A bank connector over HTTP. It gets `POST {url}` with the payment as JSON and its end-to-end id as Idempotency-Key, and answers
 *   200, 201 or 202 with {"status":"accepted","reference":"…"}  it has the payout, now or from an earlier request
 *   422 with {"status":"refused","reason":"…"}                  it did not take it; the same id may come again, after an
 *                                                               operator acted, with another bank account Everything
 * else, late and broken answers included, leaves the payout's fate unknown: it is asked about again.
 */
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { PayoutInstruction, Rail, RailAnswer } from '../rail.ts'

const DEFAULT_TIMEOUT_MS = 15_000
const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Texts may have any length: an answer that decides must not be doubted for its wording. `stepOf` cuts what is kept.
 */
const Accepted = Compile(Type.Object({ status: Type.Literal('accepted'), reference: Type.String({ minLength: 1 }) }))
const Refused = Compile(Type.Object({ status: Type.Literal('refused'), reason: Type.String() }))

/**
 * Makes the HTTP rail.
 * @param settings.token sent as a bearer token; never logged
 * @param settings.timeoutMs for a whole request, default 15,000
 */
export function createHttpRail(settings: { url: string; token: string; timeoutMs?: number }): Rail {
  const { url, token, timeoutMs = DEFAULT_TIMEOUT_MS } = settings
  return {
    name: 'http',
    async initiate(instruction) {
      try {
        const response = await fetch(url, {
          method: 'POST',
          redirect: 'manual',
          signal: AbortSignal.timeout(timeoutMs),
          headers: {
            'content-type': 'application/json',
            authorization: `Bearer ${token}`,
            'idempotency-key': instruction.endToEndId,
          },
          body: bodyOf(instruction),
        })
        return answerOf(response.status, await readJson(response))
      } catch (error) {
        return { result: 'unknown', reason: `The bank connector did not answer: ${causeOf(error)}.` }
      }
    },
  }
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
  return { result: 'unknown', reason: `The bank connector answered ${status}.` }
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
