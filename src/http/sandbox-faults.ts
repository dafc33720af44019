/** Lets requests of keys that were made for it fail as asked. Only a sandbox has it. */
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { type Route, type SandboxRoutes, urlOf } from './route.ts'

const RETRY_AFTER_SECONDS = 1

/**
 * Adds the hooks. They come after admission, so that a key that is refused anyway uses nothing up, and before the request
 * is looked at, so that a failed one has changed nothing.
 */
export function failOnPurpose(app: FastifyInstance, { faultOf }: SandboxRoutes, routes: readonly Route[]): void {
  const byUrl = new Map(routes.map((route) => [`${route.method} ${urlOf(route)}`, route]))
  const unanswered = new WeakSet<object>()
  app.addHook('preHandler', async (request, reply) => {
    const route = byUrl.get(`${request.method} ${request.routeOptions.url}`)
    if (route === undefined || request.apiKey === null) return
    const fault = await faultOf(request.apiKey, route)
    if (fault === 'NO_ANSWER') unanswered.add(request)
    else if (fault !== undefined) {
      if (fault === 'RATE_LIMITED') reply.header('retry-after', RETRY_AFTER_SECONDS)
      throw new ApiError(fault, fault === 'SERVER_ERROR' ? { correlationId: request.id } : undefined)
    }
  })
  app.addHook('onSend', async (request, _reply, payload) => {
    if (unanswered.has(request)) request.raw.socket.destroy()
    return payload
  })
}
