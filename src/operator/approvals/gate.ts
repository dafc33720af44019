/**
 * What must wait for a second person waits here: a request without an approval becomes one that waits; a request with one
 * goes through if it is exactly what was approved, and uses it up.
 */
import { randomUUID } from 'node:crypto'
import { isDatabaseAway, type Queryable } from '../../db/database.ts'
import { type Acting, actAs } from '../../operators/acting.ts'
import { newApprovalId, whyNotRun, whyNotUsed } from '../../operators/approval.ts'
import {
  endExecution,
  findApproval,
  insertApproval,
  lockWaiting,
  useApproval,
  voidApproval,
} from '../../operators/approvals.sql.ts'
import type { CommandLine } from '../../operators/commands.ts'
import { LEAST_ADMINS, SHARED_TOKEN_NAME } from '../../operators/operator.ts'
import { countSignedInAdmins } from '../../operators/operators.sql.ts'
import { appendAudit, listLeftBy } from '../audit.sql.ts'
import type { Principal } from '../authenticate.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { decidersOf, requireRole } from '../require-role.ts'
import { describeFile } from './about-file.ts'
import { approversOf } from './approvers.ts'
import { type Asked, targetOf } from './asked.ts'
import { OCCASIONS } from './occasions.ts'
import { rehearse } from './rehearse.ts'
import { digestOfRequest, isSame, openRequest, sealRequest, shown } from './sealed-request.ts'
import { CHANGED, look } from './seen.ts'

/** Requests of one person that may wait at the same time. */
const MOST_WAITING = 50

export type Passing = {
  line: CommandLine
  asked: Asked
  principal: Principal
  who: Acting
  approvalId: string | undefined
  idempotencyKey: string | undefined
}

/** What the command prints that has to wait. `approvers`: who may approve it now. */
export type Waiting = { ok: true; approvalId: string; status: 'waiting'; approvers: string[] }

/**
 * Runs `work`, or stores the request that somebody else has to approve.
 * @throws OperatorError CONFLICT when the approval does not let this request through, or nobody could give one; and what the request would be
 * refused with as things are now, whether it waits or not
 */
export async function throughGate(
  deps: OperatorDeps,
  passing: Passing,
  work: () => Promise<unknown>,
): Promise<{ waiting: Waiting } | { result: unknown }> {
  const { line, approvalId, principal } = passing
  const waits = deps.config.fourEyes && line.approval !== undefined && (await mustWait(deps, passing))
  if (approvalId === undefined) {
    if (waits && principal.operatorId === null) {
      const sentence = `"coin ${line.command}" waits for a second person, and nobody can approve what is asked for with OPERATOR_TOKEN, which belongs to nobody: use a token of your own.`
      throw new OperatorError('CONFLICT', sentence)
    }
    if (waits) {
      requireRole({ ...line, roles: decidersOf(line) }, principal)
      await rehearse(passing.who, deps.logger, work)
      return { waiting: await ask(deps, passing) }
    }
    return { result: await actAs(stillFree(deps, passing), work) }
  }
  // What need not wait any more is still run under its approval, which says what became of it, as after a lost answer.
  if (!deps.config.fourEyes || line.approval === undefined) {
    throw new OperatorError('BAD_REQUEST', `"coin ${line.command}" waits for nobody here: run it without --approval.`)
  }
  return { result: await execute(deps, { ...passing, approvalId }, work) }
}

async function mustWait(
  deps: Pick<OperatorDeps, 'config'> & { db: Queryable },
  { line, asked, principal }: Passing,
): Promise<boolean> {
  // The first two admins cannot be approved by anybody.
  if (line.command === 'operator add' && principal.operatorId === null && asked.body.role === 'admin') {
    return (await countSignedInAdmins(deps.db)) >= LEAST_ADMINS
  }
  return line.approval !== undefined && (await OCCASIONS[line.approval.when](deps, asked))
}

/**
 * Whether a request must wait may depend on what it concerns, which somebody may change between the first look and the transaction that acts. In that
 * transaction nobody else can change it, so it is looked at once more there.
 */
function stillFree(deps: OperatorDeps, passing: Passing): Acting {
  const { line, who } = passing
  if (!deps.config.fourEyes || line.approval === undefined) return who
  return {
    ...who,
    async useApproval(tx) {
      if (await mustWait({ ...deps, db: tx }, passing)) {
        throw new OperatorError('CONFLICT', `"coin ${line.command}" waits for somebody else now: ${CHANGED_NOW}.`)
      }
    },
  }
}

/** Asked again, as after a lost answer, it is the request that waits already: whoever decides must not see it twice. */
async function ask(deps: OperatorDeps, { line, asked, principal, who, idempotencyKey }: Passing): Promise<Waiting> {
  const approvalId = newApprovalId()
  const { method, path, body } = asked
  const target = targetOf(asked)
  const requestedBy = principal.operatorId ?? SHARED_TOKEN_NAME
  const says = line.command === 'bank import' ? await describeFile(deps.db, deps, body) : undefined
  const waiting = await actAs(who, () =>
    deps.db.transaction(async (tx) => {
      const seen = await look(deps, tx, line, asked)
      const kept = {
        body: shown(body),
        digest: digestOfRequest(asked),
        seen,
        key: idempotencyKey ?? null,
        ...(says && { says }),
      }
      const open = await lockWaiting(tx, { requestedBy, command: line.command, target })
      const same = open.find((each) => isSame(openRequest(deps.secrets, each), kept))
      if (same !== undefined) return same.approvalId
      const request = {
        approvalId,
        command: line.command,
        target,
        method,
        path,
        body: sealRequest(deps.secrets, approvalId, kept),
        requestedBy,
        requestedByName: principal.name,
      }
      if (!(await insertApproval(tx, request, MOST_WAITING))) {
        throw new OperatorError(
          'CONFLICT',
          `${MOST_WAITING} requests of yours wait already: have some of them decided (see "coin approval list").`,
        )
      }
      const details = { command: line.command, target }
      await appendAudit(tx, { action: 'approval.request', target: approvalId, details })
      return approvalId
    }),
  )
  return { ok: true, approvalId: waiting, status: 'waiting', approvers: await approversOf(deps.db, line, waiting) }
}

/** Thrown within the transaction that acts, so that nothing of it stays. */
class ChangedError extends Error {}

const CHANGED_NOW = 'what it concerns was changed at the same time. Run it again'

async function execute(
  deps: OperatorDeps,
  { line, asked, principal, who, approvalId, idempotencyKey }: Passing & { approvalId: string },
  work: () => Promise<unknown>,
): Promise<unknown> {
  const { db } = deps
  const approval = found(await findApproval(db, approvalId), 'approval', approvalId, 'approval list')
  const kept = openRequest(deps.secrets, approval)
  const isAsApproved = kept && kept.digest === digestOfRequest(asked)
  const left = approval.status === 'used' ? await listLeftBy(db, approval) : []
  const refusal = whyNotRun(approval, { operatorId: principal.operatorId ?? SHARED_TOKEN_NAME, isAsApproved, left })
  if (refusal !== undefined) throw new OperatorError('CONFLICT', refusal)
  const execution = randomUUID()
  let used = false
  const using = {
    ...who,
    approvalId,
    async useApproval(tx: Queryable) {
      const use = await useApproval(tx, approvalId, { execution, roles: decidersOf(line) })
      if (use === undefined) throw new OperatorError('CONFLICT', whyNotUsed(approval))
      used = true
      if (use === 'first') await using.requireAsApproved(tx)
    },
    async requireAsApproved(tx: Queryable) {
      if ((await look(deps, tx, line, asked)) !== kept?.seen) throw new ChangedError(CHANGED)
    },
  }
  try {
    const result = await actAs(using, work)
    // A route that found nothing to do has recorded nothing; it ran all the same. With an idempotency key the answer is that of the first
    // of two equal requests, which has used it.
    if (!used && idempotencyKey === undefined) await db.transaction(using.useApproval)
    await ended(deps, execution, (result as { ok?: unknown } | undefined)?.ok === false ? 'failed' : 'done')
    return result
  } catch (error) {
    if (error instanceof ChangedError) throw await voided(deps, who, approvalId)
    // A commit that nobody has answered may have been carried out.
    if (!isDatabaseAway(error))
      await ended(deps, execution, `failed: ${error instanceof OperatorError ? error.message : 'see the log'}`)
    throw error
  }
}

/** Recorded as well as can be: the approval is used up whether this succeeds or not. */
async function ended({ db, logger }: OperatorDeps, execution: string, outcome: string): Promise<void> {
  await endExecution(db, execution, outcome.slice(0, 500)).catch((error: unknown) =>
    logger.warn({ err: error }, 'how the execution of an approval ended was not recorded'),
  )
}

async function voided({ db }: OperatorDeps, who: Acting, approvalId: string): Promise<OperatorError> {
  await actAs(who, () =>
    db.transaction(async (tx) => {
      if (!(await voidApproval(tx, approvalId, CHANGED))) return
      await appendAudit(tx, { action: 'approval.void', target: approvalId, details: { reason: CHANGED } })
    }),
  )
  return new OperatorError('CONFLICT', `${approvalId} is void: ${CHANGED}. Ask again, without --approval.`)
}
