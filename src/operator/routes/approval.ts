/** /approvals: what waits for a second person, and their decisions. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { NOT_OPENED } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { APPROVAL_STATUSES, type Approval, type Decider, whoIsMissing, whyNotDecide } from '../../operators/approval.ts'
import { decideApproval, findApproval, listApprovals, withdrawApproval } from '../../operators/approvals.sql.ts'
import { COMMANDS } from '../../operators/commands.ts'
import { personOf, SHARED_TOKEN_NAME } from '../../operators/operator.ts'
import { findOperator } from '../../operators/operators.sql.ts'
import type { OperatorRole } from '../../operators/roles.ts'
import { showSubject } from '../approvals/about.ts'
import { openRequest } from '../approvals/sealed-request.ts'
import { CHANGED, hasChanged } from '../approvals/seen.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import type { Principal } from '../authenticate.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { principalOf } from '../guard.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, text } from '../parse.ts'
import { decidersOf } from '../require-role.ts'

const Query = Type.Object(
  { ...PageQuery, status: Type.Optional(oneOf(APPROVAL_STATUSES)) },
  { additionalProperties: false },
)
const Approving = Type.Object({ reason: Type.Optional(text(1, 300)) }, { additionalProperties: false })
const Rejection = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

type ById = { Params: { approvalId: string } }

export function approvalRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  app.get('/approvals', async ({ query }) => {
    const { status, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const listed = await listApprovals(db, { status, ...page })
    return { ok: true, approvals: listed.map(view), next: nextOf(listed, page, ({ approvalId }) => approvalId) }
  })

  // It may show a bank account, and who looked at one is recorded.
  app.get<ById>('/approvals/:approvalId', async ({ params: { approvalId } }) => {
    const approval = known(await findApproval(db, approvalId), approvalId)
    await appendAudit(db, { action: 'approval.show', target: approvalId, details: { command: approval.command } })
    return { ok: true, approval: await viewWhole(db, approval, deps) }
  })

  app.post<ById>('/approvals/:approvalId/approve', async (request) => {
    const { reason = null } = parse(Approving, request.body)
    return await decide(deps, request.params.approvalId, principalOf(request), { status: 'approved', reason })
  })

  app.post<ById>('/approvals/:approvalId/reject', async (request) => {
    const { reason } = parse(Rejection, request.body)
    const { approvalId } = request.params
    const principal = principalOf(request)
    const approval = known(await findApproval(db, approvalId), approvalId)
    // Taking back what is not done yet stops something, so it is open to who asked and to who approved.
    // Nobody has decided where "decidedBy" is null, and nobody is who has the shared token.
    const isMine = [approval.requestedBy, approval.decidedBy].includes(principal.operatorId ?? SHARED_TOKEN_NAME)
    if (isMine) return await withdraw(db, approval, { by: principal.name, reason })
    return await decide(deps, approvalId, principal, { status: 'rejected', reason })
  })
}

const known = (approval: Approval | undefined, id: string) => found(approval, 'approval', id, 'approval list')

async function decide(
  deps: OperatorDeps,
  approvalId: string,
  principal: Principal,
  { status, reason }: { status: 'approved' | 'rejected'; reason: string | null },
) {
  const approval = await audited(
    deps.db,
    async (tx) => {
      const waiting = known(await findApproval(tx, approvalId), approvalId)
      const decider = await deciderOf(tx, principal)
      const refusal = whyNotDecide(waiting, { ...decider, mayRun: mayRun(waiting, principal) }, status)
      if (refusal !== undefined || principal.operatorId === null) throw new OperatorError('CONFLICT', refusal ?? '')
      // Another process may have the key, and would run what nobody has seen.
      if (status === 'approved' && openRequest(deps.secrets, waiting) === undefined)
        throw new OperatorError('CONFLICT', sayUnseen(waiting))
      const isVoid = status === 'approved' && (await hasChanged(deps, tx, waiting))
      const decision = isVoid ? ({ status: 'void', reason: CHANGED } as const) : { status, reason }
      const decided = await decideApproval(tx, approvalId, { ...decision, decidedBy: principal.operatorId })
      if (!decided) throw new OperatorError('CONFLICT', `${approvalId} was decided by somebody else just now.`)
      return await again(tx, approvalId)
    },
    ({ command, target, requestedByName, status: now, reason: why }) => ({
      action: DECIDED_AS[now] ?? 'approval.reject',
      target: approvalId,
      details: { command, target, requestedBy: requestedByName, reason: why },
    }),
  )
  if (approval.status !== 'void') return { ok: true, ...view(approval) }
  throw new OperatorError('CONFLICT', `${approvalId} is void: ${CHANGED}. ${approval.requestedByName} can ask again.`)
}

function sayUnseen({ approvalId, requestedByName }: Approval): string {
  return `${approvalId} was asked for under a SECRETS_KEY that this process does not know, so that nobody can see here what it would do. ${requestedByName} can ask again; or reject it.`
}

const DECIDED_AS: Readonly<Partial<Record<Approval['status'], string>>> = {
  approved: 'approval.approve',
  void: 'approval.void',
}

async function deciderOf(tx: Queryable, { operatorId, issuer }: Principal): Promise<Omit<Decider, 'mayRun'>> {
  const known = operatorId === null ? undefined : await findOperator(tx, operatorId)
  return { operatorId, issuer, person: known ? personOf(known) : null, isEmergency: known?.isEmergency === true }
}

async function withdraw(
  db: OperatorDeps['db'],
  { approvalId, command }: Approval,
  taken: { by: string; reason: string },
) {
  const approval = await audited(
    db,
    async (tx) => {
      if (await withdrawApproval(tx, approvalId, taken)) return await again(tx, approvalId)
      throw new OperatorError(
        'CONFLICT',
        `${approvalId} cannot be taken back any more: see "coin approval show ${approvalId}".`,
      )
    },
    () => ({ action: 'approval.withdraw', target: approvalId, details: { command, reason: taken.reason } }),
  )
  return { ok: true, ...view(approval) }
}

const again = async (tx: Queryable, approvalId: string) => known(await findApproval(tx, approvalId), approvalId)

function mayRun(approval: Approval, { roles }: Principal): boolean {
  return decidersAbout(approval).some((role) => roles.includes(role))
}

function decidersAbout({ command }: Approval): readonly OperatorRole[] {
  const line = COMMANDS.find((each) => each.command === command)
  return line === undefined ? [] : decidersOf(line)
}

const missingIn = (approval: Approval) => whoIsMissing(approval, decidersAbout(approval))

/** As shown: what nobody decided or ran in time has expired, and what nobody can run because somebody has left is void until they are back. */
function statusOf(approval: Approval): string {
  const { status, isExpired } = approval
  if (missingIn(approval) !== undefined) return 'void'
  return isExpired && (status === 'waiting' || status === 'approved') ? 'expired' : status
}

function view(approval: Approval) {
  const { approvalId, command, target, requestedByName, expiresAt } = approval
  return { approvalId, command, target, requestedBy: requestedByName, status: statusOf(approval), expiresAt }
}

async function viewWhole(db: Queryable, approval: Approval, deps: Pick<OperatorDeps, 'secrets' | 'paymentFiles'>) {
  const { method, path, createdAt, decidedByName, decidedAt, withdrawnByName, reason, usedAt, outcome } = approval
  const kept = openRequest(deps.secrets, approval)
  const body = kept?.body ?? NOT_OPENED
  const about = kept?.says ?? (await showSubject(db, deps, approval, body))
  const request = { method, path, body }
  const why = missingIn(approval) ?? reason
  const decided = { createdAt, decidedBy: decidedByName, decidedAt, withdrawnBy: withdrawnByName, reason: why }
  return { ...view(approval), request, about: about ?? null, ...decided, usedAt, outcome }
}
