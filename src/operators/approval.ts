/** Four eyes: one person asks for a command, another approves it, and it is then executed once, exactly as approved. */
import { hash, randomBytes } from 'node:crypto'
import canonicalize from 'canonicalize'
import { SHARED_TOKEN_NAME } from './operator.ts'
import type { OperatorRole } from './roles.ts'

/**
 * waiting: nobody has decided · approved: its requester may run it · rejected · withdrawn: taken back by who asked, or by who had approved
 * it · used: it was run, or begun · void: what it concerns has changed, so that it would not be what was approved
 */
export const APPROVAL_STATUSES = ['waiting', 'approved', 'rejected', 'withdrawn', 'used', 'void'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

export type Approval = {
  /** `apr_` and 16 hex digits. */
  approvalId: string
  command: string
  /** What the command names, for people. */
  target: string
  method: string
  path: string
  /** The request, sealed for this approval: it may have a bank account. */
  body: string
  /** Operator id, or the shared token's name. */
  requestedBy: string
  requestedByName: string
  /** Where the requester signs in: the identity provider's issuer; null for whoever has a token. */
  requesterIssuer: string | null
  /** See `personOf`; null for the shared token. */
  requesterPerson: string | null
  /** Whether break-glass has made the requester. */
  isEmergency: boolean
  hasRequesterLeft: boolean
  createdAt: Date
  /** Until when it may be decided; once approved, until when it may be run. */
  expiresAt: Date
  isExpired: boolean
  status: ApprovalStatus
  decidedBy: string | null
  decidedByName: string | null
  /** Null before, and once they have left. */
  deciderRole: OperatorRole | null
  decidedAt: Date | null
  /** Why it was rejected or taken back, or is void. */
  reason: string | null
  withdrawnByName: string | null
  usedAt: Date | null
  /** How the execution ended; null while it runs, and for ever when its process died or the database did not answer. */
  outcome: string | null
}

/** A new approval id. */
export function newApprovalId(): string {
  return `apr_${randomBytes(8).toString('hex')}`
}

/** The digest of any plain data: the same whatever the order of its fields. Amounts are compared as decimal text. */
export function digestOf(value: unknown): string {
  const plain: unknown = JSON.parse(
    JSON.stringify(value ?? null, (_, inner: unknown) => {
      if (typeof inner === 'bigint') return inner.toString()
      return inner instanceof Set ? [...inner].sort() : inner
    }),
  )
  return hash('sha256', canonicalize(plain) ?? '')
}

/** `isAsApproved`: it is the request that was asked about; undefined when no key opens that. */
type Asking = {
  operatorId: string
  isAsApproved: boolean | undefined
  /** What one that was used has left in the audit log. */
  left?: readonly string[]
}

/** A process that died after its commit has said nothing of it; its lines are there from that commit on. */
function sayLeft(left: readonly string[]): string {
  return left.length > 0
    ? `In the audit log it has left ${left.join(', ')}.`
    : 'In the audit log it has left nothing yet: look at what it was to change.'
}

/** Why an approval does not let this request through; undefined when it does, as far as it alone can say. */
export function whyNotRun(approval: Approval, { operatorId, isAsApproved, left = [] }: Asking): string | undefined {
  const { approvalId, status, isExpired, decidedByName, withdrawnByName, reason, usedAt, outcome } = approval
  if (approval.requestedBy !== operatorId)
    return `${approvalId} was asked for by ${approval.requestedByName}: only they run it.`
  if (isAsApproved === undefined)
    return `${approvalId} was asked for under a SECRETS_KEY that is not known any more: ask again, without --approval.`
  if (!isAsApproved) {
    return `${approvalId} was given for something else than this: run exactly what "coin approval show ${approvalId}" shows, its reason included.`
  }
  if (status === 'rejected') return `${approvalId} was rejected by ${decidedByName}: ${reason}.`
  if (status === 'withdrawn') return `${approvalId} was taken back by ${withdrawnByName}: ${reason}.`
  if (status === 'void') return `${approvalId} is void: ${reason}. Ask again, without --approval.`
  if (status === 'used') {
    const end = outcome ?? 'nobody knows how it ended'
    const looks = outcome === null ? ` ${sayLeft(left)}` : ''
    return `${approvalId} was used at ${usedAt?.toISOString()} (${end}).${looks} Ask again, without --approval, if it is still needed.`
  }
  if (isExpired) return `${approvalId} has expired. Ask again, without --approval.`
  return status === 'approved'
    ? undefined
    : `${approvalId} still waits for another operator's "coin approval approve ${approvalId}".`
}

/** Why an approval that let a request through, as far as it alone could say, was not used after all. */
export function whyNotUsed({ approvalId, decidedByName }: Approval): string {
  return `${approvalId} cannot be used any more: it was used just now, or ${decidedByName}, who approved it, has left or may not decide about it any more. Ask again, without --approval, if it is still needed.`
}

/**
 * Whose leaving keeps what waits, or was approved, from being run as things are; undefined when nobody's does. What has expired needs nobody.
 * @param deciders who may decide about the command
 */
export function whoIsMissing(approval: Approval, deciders: readonly OperatorRole[]): string | undefined {
  const { status, isExpired, requestedByName, hasRequesterLeft, decidedByName, deciderRole } = approval
  if (isExpired || (status !== 'waiting' && status !== 'approved')) return undefined
  if (hasRequesterLeft) return `${requestedByName}, who asked for it, has left`
  if (status === 'waiting' || (deciderRole !== null && deciders.includes(deciderRole))) return undefined
  return `${decidedByName}, who approved it, has left or may not decide about it any more`
}

/** Who decides: `issuer`, `person` and `isEmergency` as for the requester; `mayRun`: what was asked for. */
export type Decider = {
  operatorId: string | null
  person: string | null
  issuer: string | null
  isEmergency: boolean
  mayRun: boolean
}

/**
 * Why a person must not decide so; undefined when they may. One human can have a token and an account at the provider, or one there and
 * one at the provider before it, so that both people must have come the same way: that way each human is there once. Of whom break-glass
 * has made, whoever has the machine has said who it is: they decide, and are decided about, by anybody else.
 */
export function whyNotDecide(
  approval: Approval,
  { operatorId, person, issuer, isEmergency, mayRun }: Decider,
  decision: 'approved' | 'rejected',
): string | undefined {
  const { approvalId, status, isExpired, requestedBy, requesterIssuer } = approval
  if (operatorId === null) return 'OPERATOR_TOKEN belongs to nobody, so it decides nothing: use a token of your own.'
  if (approval.requestedBy === operatorId) return `You asked for ${approvalId} yourself: somebody else decides.`
  if (!mayRun) return `Only who may run "coin ${approval.command}" decides about it.`
  if (status !== 'waiting') return `${approvalId} was decided before: it is ${status}.`
  if (decision === 'approved' && requestedBy === SHARED_TOKEN_NAME)
    return `${approvalId} was asked for with OPERATOR_TOKEN, which belongs to nobody: ask with a token of your own.`
  if (decision === 'approved' && approval.requesterPerson === person)
    return `You asked for ${approvalId} yourself, by another way in: somebody else approves.`
  if (decision === 'approved' && requesterIssuer !== issuer && !isEmergency && !approval.isEmergency) {
    const needed = requesterIssuer === null ? 'a token' : `an account at ${requesterIssuer}`
    return `Who asked for ${approvalId} has ${needed}: only somebody else who comes that way approves it, as one person may have both.`
  }
  return isExpired ? `${approvalId} has expired.` : undefined
}
