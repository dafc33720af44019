/**
 * Carries a request out once for its Idempotency-Key, and bounds how many there are. What is made has names that follow
 * from the request, so that one that was cut off goes on where it was when it is sent again.
 */
import { hash } from 'node:crypto'
import type { Queryable } from '../../db/database.ts'
import { ApiError, KEY_CONFLICT, type Refusal, refused } from '../../errors.ts'
import type { WriteCall } from '../../http/route.ts'
import { type AuditEntry, appendAudit } from '../../operator/audit.sql.ts'
import { actAs } from '../../operators/acting.ts'
import {
  type AnswerKey,
  findAnswer,
  openAnswer,
  type RememberedAnswer,
  sealAnswer,
  storeAnswer,
  takeAnswerKey,
} from '../../operators/answers.sql.ts'
import { findGivenAnswer, useKeyElsewhere } from '../../orders/accept/answers.sql.ts'
import type { Answer } from '../../orders/accept/service.ts'
import { countMade } from './answered-once.sql.ts'
import type { OnDemandDeps } from './deps.ts'

/** Before the names of what is made here, in the external ids of customers and in references. */
export const MADE_HERE = 'sandbox'

/** How many requests of an integration are carried out in 24 hours, besides a few that come at the same time. */
export const MOST_A_DAY = 500

/** What is left to write, in one transaction with the answer. */
export type Finish = (tx: Queryable) => Promise<{ answer: Record<string, unknown>; entry: AuditEntry }>

type Deps = Pick<OnDemandDeps, 'db' | 'secrets'>

/**
 * The answer of a POST: 201, the first time or again.
 * @param work whatever takes time; may be repeated
 * @throws ApiError IDEMPOTENCY_CONFLICT, POLICY_REJECTED `sandbox_limit`, and what `work` throws
 */
export async function answeredOnce(deps: Deps, call: WriteCall, work: () => Promise<Finish>): Promise<Answer> {
  const { db, secrets } = deps
  const { integrationId } = call.key
  const key = { askedBy: `sandbox ${integrationId}`, idempotencyKey: hash('sha256', call.idempotencyKey) }
  const asOfOrder = { caller: call.key, idempotencyKey: call.idempotencyKey, fingerprint: call.fingerprint }
  // First: both are written at once, so that what an answer here has used up is seen with that answer, however late it comes.
  const elsewhere = await findGivenAnswer(db, asOfOrder)
  const before = await findAnswer(db, key)
  if (before !== undefined) return replay(deps, key, call, before)
  if (elsewhere !== undefined) throw refused(KEY_CONFLICT)
  const made = await countMade(db, { askedBy: key.askedBy, integrationId, externalId: `${MADE_HERE}:` })
  if (made >= MOST_A_DAY) throw new ApiError('POLICY_REJECTED', { reason: 'sandbox_limit' })
  return await asIntegration(call, async () => {
    const finish = await work()
    const body = await db.transaction(async (tx) => {
      if (!(await takeAnswerKey(tx, key))) return undefined
      if (!(await useKeyElsewhere(tx, asOfOrder))) throw refused(KEY_CONFLICT)
      const { answer, entry } = await finish(tx)
      await appendAudit(tx, entry)
      const text = JSON.stringify({ ok: true, ...answer })
      await storeAnswer(tx, key, sealAnswer(secrets, key, { digest: digestOf(call), answer: text }))
      return text
    })
    if (body !== undefined) return { status: 201, body, replay: false }
    const first = await findAnswer(db, key)
    if (first === undefined) throw new ApiError('SERVICE_UNAVAILABLE')
    return replay(deps, key, call, first)
  })
}

const NOT_ANSWERED_AGAIN: Refusal = {
  code: 'IDEMPOTENCY_CONFLICT',
  detail:
    'It is the Idempotency-Key: it was used for another request or by another API key, or its answer is kept no longer, which it is for a day.',
}

/** Runs `work` in the name of the integration that asks, as the audit log has it. */
function asIntegration<T>({ key, address }: WriteCall, work: () => Promise<T>): Promise<T> {
  return actAs({ actor: `integration ${key.integrationId}`, origin: address }, work)
}

/** An answer may show a key with all that the key which asked for it has: no other key of the integration gets it. */
function digestOf({ key, fingerprint }: WriteCall): string {
  return hash('sha256', `${key.keyId} ${fingerprint}`)
}

function replay({ secrets }: Deps, key: AnswerKey, call: WriteCall, found: RememberedAnswer): Answer {
  // What is no longer kept cannot be answered again, and must not be made again.
  const kept = found.sealed === null ? undefined : openAnswer(secrets, key, found.sealed)
  if (kept?.digest !== digestOf(call)) throw refused(NOT_ANSWERED_AGAIN)
  return { status: 201, body: kept.answer, replay: true }
}
