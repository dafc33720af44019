/** Posts one webhook to a checked address, within its deadlines. */
import { mayConnect } from './address-guard.ts'
import { AddressRefusedError, checkedAddresses } from './checked-addresses.ts'
import { excerptOf } from './excerpt.ts'
import { type Answer, post, type WebhookRequest } from './post.ts'
import { createResolver } from './resolve.ts'

/**
 * The contract's acknowledgement time, from the moment at which the whole request is out: a receiver can answer nothing before it. Finding the
 * address and connecting have as long again, which a far or busy host may need.
 */
export const ACKNOWLEDGE_WITHIN_MS = 5000

/** What became of one POST. */
export type SendOutcome = {
  /** null when no status line arrived. */
  httpStatus: number | null
  /**
   * null when it was acknowledged (2xx in time), else `timeout`, `address_refused`, `redirect`, `http_<status>`,
   * `dns_failed: CODE` or `connection_failed: CODE`. Never holds an address or a part of the request.
   */
  error: string | null
  durationMs: number
  responseExcerpt: string | null
}

/** Makes one POST. Never throws: every failure is an outcome. */
export type Send = (request: WebhookRequest) => Promise<SendOutcome>

export type SenderOptions = {
  /** Whether loopback may be reached, even over http. */
  allowLoopback: boolean
  /** For connecting, and then again for the answer. Default 5,000. */
  timeoutMs?: number
  /** Name servers as `address:port`; default: the system's. */
  dnsServers?: readonly string[]
}

/** Makes the sender of webhooks: no redirects, no proxy, no reused connections, certificates verified, answers bounded. */
export function createSender({ allowLoopback, dnsServers, timeoutMs = ACKNOWLEDGE_WITHIN_MS }: SenderOptions): Send {
  const resolve = createResolver(dnsServers)
  return senderTo({
    addressesOf: (url, signal) => checkedAddresses(url, { resolve, signal, allowLoopback }),
    mayConnect: (address, { protocol }) => mayConnect(address, protocol, allowLoopback),
    timeoutMs,
  })
}

/** Where requests may go. */
export type Reach = {
  /** The addresses of a URL's host. @throws AddressRefusedError, or the resolver's error */
  addressesOf: (url: URL, signal: AbortSignal) => Promise<string[]>
  /** Asked once more of the connected socket, before any byte of the request leaves. */
  mayConnect: (address: string, url: URL) => boolean
  /** For connecting, and then again for the answer. */
  timeoutMs: number
}

/** Makes a sender that goes wherever `reach` says, and is otherwise that of webhooks. */
export function senderTo({ addressesOf, mayConnect, timeoutMs }: Reach): Send {
  return async (request) => {
    const startedAt = performance.now()
    const deadline = createDeadline(timeoutMs)
    const outcome = (part: Pick<SendOutcome, 'httpStatus' | 'error' | 'responseExcerpt'>): SendOutcome => ({
      ...part,
      durationMs: Math.round(performance.now() - startedAt),
    })
    try {
      const url = new URL(request.url)
      const { signal } = deadline
      const addresses = await addressesOf(url, signal)
      const answer = await post({
        url,
        addresses,
        signal,
        mayConnect: (address) => mayConnect(address, url),
        request,
        sent: deadline.restart,
      })
      return outcome({
        httpStatus: answer.status,
        error: problemOf(answer),
        responseExcerpt: excerptOf(answer.beginning),
      })
    } catch (error) {
      const problem = deadline.signal.aborted ? 'timeout' : failureOf(error)
      return outcome({ httpStatus: null, error: problem, responseExcerpt: null })
    } finally {
      deadline.end()
    }
  }
}

/** Aborts its signal when nothing has restarted or ended it for `timeoutMs`. Once ended it stays so: an answer may come before all is sent. */
function createDeadline(timeoutMs: number): { signal: AbortSignal; restart: () => void; end: () => void } {
  const controller = new AbortController()
  const begin = () => setTimeout(() => controller.abort(), timeoutMs)
  let timer: NodeJS.Timeout | undefined = begin()
  return {
    signal: controller.signal,
    restart() {
      if (timer === undefined) return
      clearTimeout(timer)
      timer = begin()
    },
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

function problemOf(answer: Answer): string | null {
  if (answer.status >= 200 && answer.status < 300) return null
  return answer.status >= 300 && answer.status < 400 ? 'redirect' : `http_${answer.status}`
}

function failureOf(error: unknown): string {
  if (error instanceof AddressRefusedError) return 'address_refused'
  const code = (error as { code?: unknown } | null)?.code
  const shown = typeof code === 'string' && /^[A-Z0-9_/]{1,64}$/.test(code) ? code : 'UNKNOWN'
  const syscall = String((error as { syscall?: unknown } | null)?.syscall)
  return /^(query|getaddrinfo)/.test(syscall) ? `dns_failed: ${shown}` : `connection_failed: ${shown}`
}
