/** The partner of a sandbox's own, whose key the pages fill in: who may see it. */
import type { FastifyRequest } from 'fastify'
import { isLoopbackHost } from '../../config/loopback.ts'

/** Names as samples have them (`FILLED`) → values. */
export type DemoPartner = Readonly<
  Record<'COIN_KEY' | 'CUSTOMER' | 'WALLET' | 'RECIPIENT' | 'CORPORATE' | 'REFERENCE', string>
>

const LOOPBACK = /^(127\.\d+\.\d+\.\d+|::1|::ffff:127\.\d+\.\d+\.\d+)$/

/**
 * Whether a page on this machine asks, of this machine: no other address, no proxy, no name that somebody else may point
 * here (DNS rebinding), and no page of another site.
 */
export function asksOnThisMachine({ raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>): boolean {
  const site = headers['sec-fetch-site']
  const url = `http://${headers.host ?? ''}`
  return (
    LOOPBACK.test(raw.socket.remoteAddress ?? '') &&
    headers['x-forwarded-for'] === undefined &&
    headers.forwarded === undefined &&
    URL.canParse(url) &&
    isLoopbackHost(new URL(url).hostname) &&
    (site === undefined || site === 'same-origin')
  )
}
