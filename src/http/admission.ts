/**
 * The checks of a request to a route with a key before its body is read, in this order: key, address, rate, idempotency
 * key, scopes (of a read); and of its key and address when a body has been read.
 */
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'
import { ApiError, refused, scopesNeeded } from '../errors.ts'
import { timesSent } from '../http-server/odd-headers.ts'
import type { KeyLookup, KnownKey } from '../integrations/key-cache.ts'
import { parseAllowlistEntry } from '../values/ip-allowlist.ts'
import { isInForce, judgeKey } from './authenticate.ts'
import { readIdempotencyKey } from './idempotency.ts'
import type { KeyReader } from './key-reader.ts'
import { type RateCounter, windowStartOf } from './rate-counter.ts'
import { limitOf, RATE_HEADERS, type RateStanding, standingOf } from './rate-limit.ts'
import { type ReadRoute, urlOf, type WriteRoute } from './route.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Set once the caller is known; null before, and on routes without a key. */
    apiKey: KnownKey | null
    /** A POST's idempotency key, once it was found valid. */
    idempotencyKey: string
  }
}

export type AdmissionDeps = Pick<Config, 'environment' | 'rates'> & {
  lookup: KeyLookup
  readKey: KeyReader
  rateCounter: RateCounter
  /** Hears of every request with a valid key from an address that it allows. */
  noteUse: (keyId: string, address: string, atMs: number) => void
  nowMs: () => number
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (refusal?: Error) => void) => void

/** Makes the hook that admits requests to a route. */
export function createAdmission(deps: AdmissionDeps, route: ReadRoute | WriteRoute): Hook {
  const pattern = urlOf(route)
  return hookOf((request, reply) => {
    request.pattern = pattern
    return admit(deps, route, request, reply)
  })
}

/**
 * Makes the hook that looks at the key of a POST once more when its body is there: a body may take its time, and a key that was revoked
 * meanwhile moves no money.
 */
export function createReadmission(deps: Pick<AdmissionDeps, 'environment' | 'lookup' | 'nowMs'>): Hook {
  return hookOf((request, reply) => readmit(deps, request, reply))
}

/** A hook that waits only for what has to be asked elsewhere. */
function hookOf(check: (request: FastifyRequest, reply: FastifyReply) => void | Promise<void>): Hook {
  return (request, reply, done) => {
    const outcome = outcomeOf(() => check(request, reply))
    if (outcome instanceof Promise) outcome.then(() => done(), done)
    else done(outcome)
  }
}

/** What `work` has thrown, if it has; a promise when it has not ended. */
function outcomeOf(work: () => void | Promise<void>): Error | undefined | Promise<void> {
  try {
    return work() ?? undefined
  } catch (refusal) {
    return refusal as Error
  }
}

/** @throws ApiError UNAUTHORIZED, IP_NOT_ALLOWED, RATE_LIMITED, IDEMPOTENCY_KEY_REQUIRED, SCOPE_DENIED; or its promise rejects */
function admit(
  deps: AdmissionDeps,
  route: ReadRoute | WriteRoute,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const nowMs = deps.nowMs()
  const presented = deps.readKey(request.raw)
  if (presented === undefined || timesSent(request.raw, 'authorization') > 1) throw new ApiError('UNAUTHORIZED')
  const found = deps.lookup(presented.keyId)
  return onceThere(found, (stored) => {
    const key = judgeKey(presented, stored, deps.environment, nowMs)
    if (key === undefined) return refuse(deps.lookup, presented.keyId, found instanceof Promise)
    request.apiKey = key
    const isAllowed = key.allowsAddress(request.ip)
    // Requests from refused addresses are not counted: a thief of the key cannot use up its owner's requests from
    // elsewhere.
    const counted = deps.rateCounter[isAllowed ? 'hit' : 'peek'](key.keyId, route.bucket, windowStartOf(nowMs))
    return onceThere(counted, (used) => {
      const standing = standingOf(limitOf(key, route.bucket, deps.rates), used, nowMs)
      setRateHeaders(reply, standing)
      if (!isAllowed) throw addressRefused(request.ip)
      deps.noteUse(key.keyId, request.ip, nowMs)
      if (standing.exceeded) {
        reply.header('retry-after', standing.retryAfterSeconds)
        throw new ApiError('RATE_LIMITED')
      }
      if (route.kind === 'write') request.idempotencyKey = readIdempotencyKey(request.raw)
      else if (!route.scopes.every((scope) => key.scopes.has(scope))) throw refused(scopesNeeded(route.scopes))
    })
  })
}

/** Says which address it was, to who holds the key: it is the one to ask the issuer for. What is no address is not repeated. */
function addressRefused(clientAddress: string): ApiError {
  const seen = parseAllowlistEntry(clientAddress)
  return new ApiError('IP_NOT_ALLOWED', undefined, { detail: seen && `It came from ${seen}.` })
}

/**
 * Refuses a key that is not to be used here. An unknown key has cost a question to the database, and a remembered one has not: it is asked now, or
 * refusals would come three times as fast for keys that exist, and tell them from made-up ones.
 * @throws ApiError UNAUTHORIZED, or its promise rejects
 */
function refuse(lookup: KeyLookup, keyId: string, wasAsked: boolean): Promise<void> {
  if (wasAsked) throw new ApiError('UNAUTHORIZED')
  return lookup.asIfUnknown(keyId).then(() => {
    throw new ApiError('UNAUTHORIZED')
  })
}

/** @throws ApiError UNAUTHORIZED, IP_NOT_ALLOWED; or its promise rejects */
function readmit(
  { environment, lookup, nowMs }: Pick<AdmissionDeps, 'environment' | 'lookup' | 'nowMs'>,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  const admitted = request.apiKey
  if (admitted === null) throw new ApiError('UNAUTHORIZED')
  return onceThere(lookup(admitted.keyId), (stored) => {
    if (stored === undefined || !isInForce(stored, environment, nowMs())) {
      // The answer is that to a key that never existed.
      for (const name of RATE_HEADERS) reply.removeHeader(name)
      throw new ApiError('UNAUTHORIZED')
    }
    if (stored !== admitted && !stored.allowsAddress(request.ip)) throw addressRefused(request.ip)
    request.apiKey = stored
  })
}

/** Goes on at once with a value that is there: awaiting it would cost every request a turn of the event loop. */
function onceThere<T>(value: T | Promise<T>, goOn: (value: T) => void | Promise<void>): void | Promise<void> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}

function setRateHeaders(reply: FastifyReply, { limit, remaining, resetAt }: RateStanding): void {
  const [ofLimit, ofRemaining, ofReset] = RATE_HEADERS
  reply.header(ofLimit, limit).header(ofRemaining, remaining).header(ofReset, resetAt)
}
