/** Lets requests of keys that were made for it fail as asked. Only a sandbox has it. */
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'
import { type Route, type SandboxRoutes, urlOf } from './route.ts'

const RETRY_AFTER_SECONDS = 1

type Fault = NonNullable<Awaited<ReturnType<SandboxRoutes['faultOf']>>>

/**
 * Adds the hooks. They come after admission, so that a key that is refused anyway uses nothing up, and before the request
 * is looked at, so that a failed one has changed nothing.
 */
export function failOnPurpose(app: FastifyInstance, { faultOf }: SandboxRoutes, routes: readonly Route[]): void {
  const byUrl = new Map(routes.map((route) => [`${route.method} ${urlOf(route)}`, route]))
  const unanswered = new WeakSet<object>()
  app.addHook('preHandler', (request, reply, done) => {
    // Only keys that were made here have faults, and each of them expires.
    if (request.apiKey === null || request.apiKey.expiresAt === null) return done()
    const route = byUrl.get(`${request.method} ${request.routeOptions.url}`)
    if (route === undefined) return done()
    const fail = (fault: Fault | undefined): void => {
      if (fault === 'NO_ANSWER') unanswered.add(request)
      if (fault === 'RATE_LIMITED') reply.header('retry-after', RETRY_AFTER_SECONDS)
      if (fault === undefined || fault === 'NO_ANSWER') done()
      else done(new ApiError(fault, fault === 'SERVER_ERROR' ? { correlationId: request.id } : undefined))
    }
    faultOf(request.apiKey, route).then(fail, done)
  })
  app.addHook('onSend', (request, _reply, _payload, done) => {
    if (unanswered.has(request)) request.raw.socket.destroy()
    done()
  })
}
