/**
 * Commands that create take an idempotency key: run again with it, they get the first answer and create nothing more, also
 * when both run at the same time. Key, answer and what it answers are written in one transaction.
 */
import { actAs, whoActs } from '../operators/acting.ts'
import { type AnswerKey, findAnswer, storeAnswer, takeAnswerKey } from '../operators/answers.sql.ts'
import { digestOf } from '../operators/approval.ts'
import { SHARED_TOKEN_NAME } from '../operators/operator.ts'
import type { Asked } from './approvals/asked.ts'
import { appendAudit } from './audit.sql.ts'
import type { OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'

export const IDEMPOTENCY_HEADER = 'idempotency-key'

/** The commands that create, each in one transaction. */
export const CREATING: ReadonlySet<string> = new Set([
  'operator add',
  'integration create',
  'key create',
  'customer link',
  'corporate link',
  'webhook add',
])

const KEY = /^[\x21-\x7e]{1,200}$/

export type Remembering = { key: AnswerKey; requestSha256: string; command: string }

type Deps = Pick<OperatorDeps, 'db' | 'secrets'>

/** What a request with this header asks for; undefined without one. @throws OperatorError BAD_REQUEST */
export function rememberingOf(given: string | undefined, command: string, asked: Asked): Remembering | undefined {
  if (given === undefined) return undefined
  if (!CREATING.has(command))
    throw new OperatorError('BAD_REQUEST', `"${command}" creates nothing: leave --idempotency-key out.`)
  if (!KEY.test(given)) {
    throw new OperatorError('BAD_REQUEST', 'An idempotency key is 1 to 200 printable characters without blanks.')
  }
  const key = { askedBy: asked.operatorId ?? SHARED_TOKEN_NAME, idempotencyKey: given }
  return { key, requestSha256: digestOf([asked.method, asked.path, asked.body]), command }
}

/**
 * The answer that the request got before; undefined when it is the first. That it is shown again is recorded: there may be
 * a secret in it. @throws OperatorError CONFLICT
 */
export async function answeredBefore({ db, secrets }: Deps, remembering: Remembering): Promise<unknown> {
  const { key, requestSha256, command } = remembering
  const found = await findAnswer(db, key)
  if (found === undefined) return undefined
  if (found.requestSha256 !== requestSha256) {
    throw new OperatorError('CONFLICT', 'This idempotency key was used for another command: take a new one.')
  }
  const at = found.answeredAt.toISOString()
  if (found.answer !== null) {
    const answer = JSON.parse(secrets.open(found.answer, boundTo(key))) as unknown
    await recordRepeat(db, { command, answeredAt: at })
    return answer
  }
  throw new OperatorError('CONFLICT', `This command was run at ${at}; its answer is no longer kept. See "audit list".`)
}

/** What was approved was done by the first request: a repeat uses up no approval. */
async function recordRepeat(db: Deps['db'], details: { command: string; answeredAt: string }): Promise<void> {
  const { actor, origin } = whoActs()
  const append = () => db.transaction((tx) => appendAudit(tx, { action: 'answer.repeat', target: null, details }))
  await actAs({ actor, origin }, append)
}

/** Thrown in the transaction of the request that came second. */
class TakenError extends Error {}

/** Runs `work` in one transaction with its answer. A request that came second gets the first one's answer. */
export async function remembered(deps: Deps, remembering: Remembering, work: () => Promise<unknown>): Promise<unknown> {
  const { db, secrets } = deps
  const { key, requestSha256 } = remembering
  try {
    return await db.transaction(async (tx) => {
      if (!(await takeAnswerKey(tx, key, requestSha256))) throw new TakenError('taken')
      const answer = await actAs({ ...whoActs(), tx }, work)
      await storeAnswer(tx, key, secrets.seal(JSON.stringify(answer), boundTo(key)))
      return answer
    })
  } catch (error) {
    if (!(error instanceof TakenError)) throw error
    const first = await answeredBefore(deps, remembering)
    if (first !== undefined) return first
    throw new OperatorError('CONFLICT', 'The same command was running at the same time: run it again.')
  }
}

const boundTo = ({ askedBy, idempotencyKey }: AnswerKey) => `${askedBy} ${idempotencyKey}`
