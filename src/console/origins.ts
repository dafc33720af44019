/**
 * Whether a request of a browser was made by a page of the console: names that somebody else may point at this machine
 * (DNS rebinding) are refused, and so is what a page of another site makes a browser send here.
 */
import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../config/loopback.ts'
import { OperatorError } from '../operator/errors.ts'

type Asked = Pick<FastifyRequest, 'method' | 'headers'>

/**
 * The origin under which a browser has reached this process.
 * @param configured CONSOLE_ORIGIN
 * @throws OperatorError FORBIDDEN for a name that is neither configured nor one of this machine's own
 */
export function originOfRequest({ headers }: Pick<Asked, 'headers'>, configured: string | undefined): string {
  const host = headers.host ?? ''
  if (configured !== undefined && host === new URL(configured).host) return configured
  const url = URL.canParse(`http://${host}`) ? new URL(`http://${host}`) : undefined
  if (url?.host === host.replace(/:80$/, '') && isLoopbackHost(url.hostname)) return url.origin
  throw new OperatorError(
    'FORBIDDEN',
    'The console is not reached under this name: set CONSOLE_ORIGIN to it, or use localhost on this machine.',
  )
}

/**
 * Refuses what another site's page makes a browser send. A page that only reads is recognised by Sec-Fetch-Site, which
 * browsers send and pages cannot change; what changes something must name the console's own origin and be JSON, which no
 * other site may send without being asked first.
 * @throws OperatorError FORBIDDEN
 */
export function requireOwnPage({ method, headers }: Asked, origin: string): void {
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') throw foreign()
  if (method === 'GET' || method === 'HEAD') return
  if (headers.origin !== origin) throw foreign()
  if (!/^application\/json\s*(;|$)/i.test(headers['content-type'] ?? '')) {
    throw new OperatorError('BAD_REQUEST', 'The console sends JSON: "content-type" must be application/json.')
  }
}

function foreign(): OperatorError {
  return new OperatorError('FORBIDDEN', 'Another site has made this request: open the console itself, and try again.')
}
