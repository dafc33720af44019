/**
 * An operation of the API: one description both registers the route and documents it, so that the two cannot drift
 * apart.
 */
import type { TSchema } from 'typebox'
import type { ChainConfig } from '../config.ts'
import type { Queryable } from '../db/database.ts'
import type { ErrorCode } from '../errors.ts'
import type { Scope } from '../integrations/api-key.ts'
import type { KnownKey } from '../integrations/key-cache.ts'
import type { AcceptanceService, Answer } from '../orders/accept/service.ts'
import type { OrderFinder } from '../orders/read/finder.ts'
import type { OrderLister } from '../orders/read/lister.ts'
import type { DemoPartner } from './reference/demo-partner.ts'

/**
 * Reads a wallet's newest balance in micro units, of a node that has come to the block `reached` if there is any.
 * @throws ChainUnreadableError when no node answers in time
 */
export type BalanceReader = { latestBalance(address: `0x${string}`, reached: bigint): Promise<bigint> }

export type ApiChain = { config: ChainConfig; reader: BalanceReader }

/** What the handlers of the API work with. */
export type RouteDeps = {
  db: Queryable
  findOrder: OrderFinder
  listOrders: OrderLister
  acceptance: AcceptanceService
  chains: ReadonlyMap<number, ApiChain>
  defaultChainId: number
  nowMs: () => number
}

/** A GET from a known key. Parameters are decoded; a query parameter given twice is an array. */
export type ReadCall = {
  key: KnownKey
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
}

/** A POST from a known key, its body parsed. */
export type WriteCall = {
  key: KnownKey
  /** Where it came from. */
  address: string
  params: Readonly<Record<string, string>>
  idempotencyKey: string
  fingerprint: string
  body: Record<string, unknown>
}

export type Parameter = {
  name: string
  in: 'path' | 'query'
  required: boolean
  description: string
  schema: TSchema
  example: unknown
}

type Described = {
  operationId: string
  /** Below `/v1`, with parameters in braces. */
  path: string
  tag: string
  summary: string
  description: string
  parameters: readonly Parameter[]
  success: { status: 200 | 201; description: string; schema: TSchema; examples: Readonly<Record<string, unknown>> }
  /** Codes beyond those that every operation of its kind can answer. */
  errors: readonly ErrorCode[]
  /** A reason for which it answers POLICY_REJECTED, where it does. */
  exampleReason?: string
}

/** A GET that needs no key. Its handler returns the JSON text. */
export type PublicRoute = Described & { kind: 'public'; method: 'GET'; handle: (deps: RouteDeps) => () => string }

/** A GET that needs a key with `scopes`. Its handler returns the JSON text. */
export type ReadRoute = Described & {
  kind: 'read'
  method: 'GET'
  bucket: 'read' | 'balances'
  scopes: readonly Scope[]
  handle: (deps: RouteDeps) => (call: ReadCall) => string | Promise<string>
}

/** A POST. Its scopes can depend on the body, so `acceptance` checks them. */
export type WriteRoute = Described & {
  kind: 'write'
  method: 'POST'
  bucket: 'write'
  scopes: readonly Scope[]
  requestBody: { required: boolean; schema: TSchema; examples: Readonly<Record<string, unknown>> }
  handle: (deps: RouteDeps) => (call: WriteCall) => Promise<Answer>
}

export type Route = PublicRoute | ReadRoute | WriteRoute

/** What only a sandbox serves. Live never has it. */
export type SandboxRoutes = {
  routes: readonly Route[]
  /**
   * What a request of this key is answered instead of being carried out, because the key was made for it; `NO_ANSWER`: it
   * is carried out, and its answer is lost. Asked once for each request.
   */
  faultOf: (key: KnownKey, route: Route) => Promise<ErrorCode | 'NO_ANSWER' | undefined>
  /** Its own partner, once there is one. */
  demo?: () => DemoPartner | undefined
}

/** A route's path as the router has it. */
export function urlOf({ path }: Pick<Route, 'path'>): string {
  return `/v1${path.replace(/\{(\w+)\}/g, ':$1')}`
}

const ALWAYS: readonly ErrorCode[] = [
  'BAD_REQUEST',
  'REQUEST_TIMEOUT',
  'RATE_LIMITED',
  'HEADERS_TOO_LARGE',
  'SERVER_ERROR',
]
const WITH_KEY: readonly ErrorCode[] = ['UNAUTHORIZED', 'IP_NOT_ALLOWED', 'SCOPE_DENIED', 'SERVICE_UNAVAILABLE']
const WITH_BODY: readonly ErrorCode[] = [
  'INVALID_JSON',
  'IDEMPOTENCY_KEY_REQUIRED',
  'IDEMPOTENCY_CONFLICT',
  'PAYLOAD_TOO_LARGE',
]

/** Every code that a route can answer. */
export function errorCodesOf(route: Route): ErrorCode[] {
  const codes = [
    ...route.errors,
    ...ALWAYS,
    ...(route.kind === 'public' ? [] : WITH_KEY),
    ...(route.kind === 'write' ? WITH_BODY : []),
  ]
  return [...new Set(codes)]
}
