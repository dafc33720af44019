/**
 * Commands that create take an idempotency key: run again with it, they get the first answer and create nothing more, also
 * when both run at the same time. Key, answer and what it answers are written in one transaction.
 */
import { actAs, whoActs } from '../operators/acting.ts'
import {
  type AnswerKey,
  findAnswer,
  openAnswer,
  sealAnswer,
  storeAnswer,
  takeAnswerKey,
} from '../operators/answers.sql.ts'
import { SHARED_TOKEN_NAME } from '../operators/operator.ts'
import type { Asked } from './approvals/asked.ts'
import { digestOfRequest } from './approvals/sealed-request.ts'
import { appendAudit } from './audit.sql.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** The commands that create, each in one transaction. */
export const CREATING: ReadonlySet<string> = new Set([
  'operator add',
  'integration create',
  'key create',
  'key rotate',
  'customer link',
  'corporate link',
  'webhook add',
])

const KEY = /^[\x21-\x7e]{1,200}$/

export type Remembering = { key: AnswerKey; digest: string; command: string }

type Deps = Pick<OperatorDeps, 'db' | 'secrets'>

/** What a request with this header asks for; undefined without one. @throws OperatorError BAD_REQUEST */
export function rememberingOf(given: string | undefined, command: string, asked: Asked): Remembering | undefined {
  if (given === undefined) return undefined
  if (!CREATING.has(command))
    throw new OperatorError('BAD_REQUEST', `"coin ${command}" creates nothing: leave --idempotency-key out.`)
  if (!KEY.test(given)) {
    throw new OperatorError('BAD_REQUEST', 'An idempotency key is 1 to 200 printable characters without blanks.')
  }
  const key = { askedBy: asked.operatorId ?? SHARED_TOKEN_NAME, idempotencyKey: given }
  return { key, digest: digestOfRequest(asked), command }
}

/**
 * The answer that the request got before; undefined when it is the first. That it is shown again is recorded: there may be
 * a secret in it. @throws OperatorError CONFLICT
 */
export async function answeredBefore({ db, secrets }: Deps, remembering: Remembering): Promise<unknown> {
  const { key, digest, command } = remembering
  const found = await findAnswer(db, key)
  if (found === undefined) return undefined
  const at = found.answeredAt.toISOString()
  const kept = found.sealed === null ? undefined : openAnswer(secrets, key, found.sealed)
  if (kept === undefined) {
    const why = found.sealed === null ? 'is no longer kept' : 'cannot be opened with the present SECRETS_KEY'
    throw new OperatorError(
      'CONFLICT',
      `This idempotency key was used at ${at}; the answer ${why}. See "coin audit list".`,
    )
  }
  if (kept.digest !== digest) {
    throw new OperatorError('CONFLICT', 'This idempotency key was used for another command: take a new one.')
  }
  await recordRepeat(db, { command, answeredAt: at })
  return JSON.parse(kept.answer) as unknown
}

/** What was approved was done by the first request: a repeat uses up no approval. */
async function recordRepeat(db: Deps['db'], details: { command: string; answeredAt: string }): Promise<void> {
  const { actor, origin, reason } = whoActs()
  const append = () => db.transaction((tx) => appendAudit(tx, { action: 'answer.repeat', target: null, details }))
  await actAs({ actor, origin, reason }, append)
}

/** Thrown in the transaction of the request that came second. */
class TakenError extends Error {}

/** Runs `work` in one transaction with its answer. A request that came second gets the first one's answer. */
export async function remembered(deps: Deps, remembering: Remembering, work: () => Promise<unknown>): Promise<unknown> {
  const { db, secrets } = deps
  const { key, digest } = remembering
  try {
    return await db.transaction(async (tx) => {
      if (!(await takeAnswerKey(tx, key))) throw new TakenError('taken')
      const answer = await actAs({ ...whoActs(), tx }, work)
      await storeAnswer(tx, key, sealAnswer(secrets, key, { digest, answer: JSON.stringify(answer) }))
      return answer
    })
  } catch (error) {
    if (!(error instanceof TakenError)) throw error
    const first = await answeredBefore(deps, remembering)
    if (first !== undefined) return first
    throw new OperatorError('CONFLICT', 'The same command was running at the same time: run it again.')
  }
}
