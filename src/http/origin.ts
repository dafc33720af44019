/** The origin under which a client has reached this process. */
import type { FastifyRequest } from 'fastify'

const HOST = /^(?:[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(?::\d{1,5})?$/

/** @returns such as `https://api.example.com`; '' for a host that cannot be one */
export function originOfRequest({ protocol, host }: Pick<FastifyRequest, 'protocol' | 'host'>): string {
  return HOST.test(host) ? `${protocol}://${host}` : ''
}
