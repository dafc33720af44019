/**
 * Why somebody changes something: every request that changes something may say it in its body, and every entry that the
 * request leaves in the audit log has it. Routes know nothing of it, but for those that themselves ask for a reason.
 */
import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { parse, text } from './parse.ts'

const Reason = Type.Object({ reason: text(1, 300) })

/** The commands whose routes ask for a reason, and do something with it beside recording it. */
const ASK_THEMSELVES: ReadonlySet<string> = new Set([
  'integration release-orders',
  'integration reject-orders',
  'customer release-orders',
  'order hold',
  'order release',
  'order reject',
  'order make-good',
  'payout hold',
  'payout release',
  'payout mark-unpaid',
  'payout resettle',
  'approval approve',
  'approval reject',
  'batch explain',
  'bank read-back',
  'bank withdraw-unopened',
  'bank statements withdraw',
  'bank statements bridge',
  'bank unallocated assign',
  'bank unallocated allocate',
  'bank lines take-back',
  'customer erase',
  'webhook disable',
  'secrets lost',
  'counter recount',
  'chain lost',
  'chain found',
])

/**
 * Takes the reason out of a request's body, so that the route sees the fields that it knows.
 * @param command of the table of commands
 * @returns undefined where there is none, or where the route itself asks for it
 * @throws OperatorError BAD_REQUEST for one that is no text of 1 to 300 characters
 */
export function takeReason(command: string, request: FastifyRequest): string | undefined {
  const { body } = request
  if (request.method !== 'POST' || ASK_THEMSELVES.has(command)) return undefined
  if (typeof body !== 'object' || body === null || !Object.hasOwn(body, 'reason')) return undefined
  const { reason: given, ...rest } = body as Record<string, unknown>
  const { reason } = parse(Reason, { reason: given })
  request.body = rest
  return reason
}
