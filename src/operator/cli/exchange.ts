/** One request to the operator API and its answer. */
import { type ClientRequest, Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'

const CONNECT_WITHIN_MS = 10_000
/** So that nothing on the way forgets a connection on which a slow command says nothing for minutes. */
const SIGN_OF_LIFE_EVERY_MS = 30_000

/** A connection of its own for each request: one that is used again may have been closed just now, and then nobody knows what was done. */
const httpAgent = new HttpAgent({ keepAlive: false })
const httpsAgent = new HttpsAgent({ keepAlive: false })

/**
 * `isPartners`: it came from the port of partners, as its header `OF_PARTNERS` says. `isCalledJson`: its headers say that the text is JSON. Where it is
 * not, the answer was cut off on its way, and nothing between had kept its length.
 */
export type Answer = { status: number; text: string; isPartners?: true; isCalledJson?: true }

const OF_PARTNERS = 'x-coin-api-version'

export type Question = { url: string; method: string; headers: Record<string, string>; body: string | undefined }

/** No answer came, or only the beginning of one. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError'
  /** Whether the other side may have the request. */
  readonly mayHaveArrived: boolean

  constructor(mayHaveArrived: boolean, cause: unknown) {
    super('no answer', { cause })
    this.mayHaveArrived = mayHaveArrived
  }
}

/**
 * Sends a request, follows no redirect, and waits as long as it takes: Node's `fetch` gives up on an answer that does not begin within five
 * minutes, and a command may well need longer.
 * @param timeoutMs from now until the answer is there, to its end
 * @throws NoAnswerError
 */
export async function exchange(question: Question, timeoutMs: number): Promise<Answer> {
  let mayHaveArrived = false
  const controller = new AbortController()
  const connecting = setTimeout(() => controller.abort(), CONNECT_WITHIN_MS)
  const waiting = setTimeout(() => controller.abort(), timeoutMs)
  try {
    return await new Promise((resolve, reject) => {
      const request = open(question, controller.signal)
      request.on('error', reject)
      request.on('response', (response) => {
        const { headers } = response
        const of: Pick<Answer, 'isPartners' | 'isCalledJson'> = {
          ...(OF_PARTNERS in headers ? { isPartners: true } : {}),
          ...(/^application\/json\b/i.test(headers['content-type'] ?? '') ? { isCalledJson: true } : {}),
        }
        text(response).then((whole) => resolve({ status: response.statusCode ?? 0, text: whole, ...of }), reject)
      })
      whenConnected(request, question.url, () => {
        clearTimeout(connecting)
        mayHaveArrived = true
        request.end(question.body)
      })
    })
  } catch (error) {
    throw new NoAnswerError(mayHaveArrived, error)
  } finally {
    clearTimeout(connecting)
    clearTimeout(waiting)
  }
}

function open({ url, method, headers, body }: Question, signal: AbortSignal): ClientRequest {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  const options = { method, headers: { ...headers, ...length }, signal }
  return new URL(url).protocol === 'http:'
    ? httpRequest(url, { ...options, agent: httpAgent })
    : httpsRequest(url, { ...options, agent: httpsAgent })
}

/** Nothing is written before: whatever fails until then has done nothing. */
function whenConnected(request: ClientRequest, url: string, send: () => void): void {
  request.once('socket', (socket: Socket) => {
    socket.once(new URL(url).protocol === 'http:' ? 'connect' : 'secureConnect', () => {
      socket.setKeepAlive(true, SIGN_OF_LIFE_EVERY_MS)
      send()
    })
  })
}
