/** The origin in addresses that partners are told. */
import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/**
 * What documents name as the origin of this service: PUBLIC_ORIGIN; else, in the sandbox, the one under which the client has reached this
 * process. Never that in live, where behind a proxy it may be http, or whatever name a stranger has sent, and partners would send their keys there.
 * @returns such as `https://api.example.com`; '' for addresses without an origin
 */
export function statedOrigin(
  { environment, publicOrigin }: Pick<Config, 'environment' | 'publicOrigin'>,
  request: Pick<FastifyRequest, 'protocol' | 'host'>,
): string {
  if (publicOrigin !== undefined) return publicOrigin
  return environment === 'live' ? '' : originOfRequest(request)
}

/** @returns '' for a host that cannot be one */
function originOfRequest({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return HOST.test(host) ? `${protocol}://${host}` : ''
}
