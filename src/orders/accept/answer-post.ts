/**
 * One POST from call to answer: its facts are read, it is decided, and one statement records it; when another request was first, all of that begins
 * again. A usual mint is recorded at once, by that statement alone.
 */
import { DELIVERIES_DUE, ORDERS_ACCEPTED } from '../../db/channels.ts'
import type { Queryable } from '../../db/database.ts'
import { ApiError, KEY_CONFLICT, type Refusal, refused, scopesNeeded } from '../../errors.ts'
import { eventOf } from '../../events/event.ts'
import type { NewOrder } from '../order.ts'
import type { WalletReader } from '../ports.ts'
import { recordAdvance, recordAnswer } from './advance.sql.ts'
import { findGivenAnswer, type StoredAnswer } from './answers.sql.ts'
import { askChain } from './ask-chain.ts'
import type { Answer, PostCall } from './call.ts'
import type { Decision } from './decision.ts'
import type { BaseFacts, ChainAnswers } from './facts.ts'
import { answerBody, firstAnswerOf } from './first-answer.ts'
import type { Lanes } from './lane.ts'
import type { Notifier } from './notify.ts'
import type { Written } from './record.sql.ts'
import type { Parsed } from './request.ts'
import { holdsScopes } from './scopes.ts'
import type { Usual } from './usual.ts'

/** How often a request that loses a race reads and decides again before it answers 503. */
const MAX_ATTEMPTS = 10
/** And for how long: beside a slow chain ten attempts would outlast its client, who then sends the same again while this goes on. */
const MAX_MS = 10_000

export type AnswerDeps = {
  db: Queryable
  lanes: Lanes
  wallets: WalletReader
  notifier: Notifier
  onAccepted?: ((chainId: number) => void) | undefined
  /** A clock that never goes back. Default: this process's. */
  nowMs?: (() => number) | undefined
}

/** What one kind of POST does at each step. */
export type Steps<Request, Facts extends BaseFacts> = {
  status: 200 | 201
  scopes: readonly string[]
  parsed: Parsed<Request>
  /** Another reading of the body, for when `parsed` is a refusal. Undefined: the refusal stands. */
  parsedElsewhere?(): Promise<Parsed<Request> | undefined>
  /** Records a request whose facts need not be read. */
  recordUsual?(request: Request): Promise<Usual>
  readFacts(request: Request): Promise<Facts>
  /** What the request turns out to mean by its facts: itself, or the same on the chain of its reference, of which the facts are then read. */
  meant?(request: Request, facts: Facts): Request
  decide(request: Request, facts: Facts, answers: ChainAnswers | undefined): Decision
}

type Recordable = Exclude<Decision, { kind: 'refuse' | 'askChain' }>

/**
 * Answers a POST with the steps of its kind.
 * @throws ApiError for a refusal, and SERVICE_UNAVAILABLE when ten races in a row were lost, or races for ten seconds
 * @throws DatabaseUnavailableError
 */
export async function answerPost<Request, Facts extends BaseFacts>(
  deps: AnswerDeps,
  call: PostCall,
  steps: Steps<Request, Facts>,
): Promise<Answer> {
  if (!holdsScopes(call.caller, steps.scopes)) throw refused(scopesNeeded(steps.scopes))
  const parsed = steps.parsed.ok ? steps.parsed : ((await steps.parsedElsewhere?.()) ?? steps.parsed)
  if (!parsed.ok) return (await replayGiven(deps.db, call)) ?? fail(parsed.refusal)
  const usual = await steps.recordUsual?.(parsed.value)
  if (usual !== undefined) {
    wake(deps, usual.order, usual.deliveriesDue)
    return { status: steps.status, body: answerBody(usual.order), replay: false }
  }
  let request = parsed.value
  const { nowMs = () => performance.now() } = deps
  const untilMs = nowMs() + MAX_MS
  for (let attempt = 1; ; attempt += 1) {
    const facts = await steps.readFacts(request)
    const replayed = await replay(deps.db, call, facts)
    if (replayed !== undefined) return replayed
    // Only now: the race may have been lost to this very request, sent once more.
    if (attempt > MAX_ATTEMPTS || (attempt > 1 && nowMs() >= untilMs)) throw new ApiError('SERVICE_UNAVAILABLE')
    const meant = steps.meant?.(request, facts) ?? request
    if (meant !== request) {
      request = meant
      continue
    }
    const decision = await decideWithChain(deps, request, facts, steps)
    const answered = await carryOut(deps, call, decision, steps.status, facts)
    if (answered !== undefined) return answered
  }
}

async function decideWithChain<Request, Facts extends BaseFacts>(
  { wallets }: AnswerDeps,
  request: Request,
  facts: Facts,
  steps: Steps<Request, Facts>,
): Promise<Decision> {
  const first = steps.decide(request, facts, undefined)
  if (first.kind !== 'askChain') return first
  return steps.decide(request, facts, await askChain(wallets, first.questions))
}

/** Carries a decision out; undefined when another request was first and the facts have to be read again. */
async function carryOut(
  deps: AnswerDeps,
  call: PostCall,
  decision: Decision,
  status: 200 | 201,
  facts: BaseFacts,
): Promise<Answer | undefined> {
  if (decision.kind === 'refuse') return fail(decision.refusal)
  if (decision.kind === 'askChain') throw new Error('a decision asked the chain twice')
  const order = decision.kind === 'accept' ? decision.acceptance.order : decision.order
  const body = answerBody(order)
  const written = await record(deps, call, decision, { status, body }, facts)
  if (written.lost) return undefined
  if (decision.kind !== 'existing') wake(deps, order, written.deliveriesDue)
  const { createdAt } = written
  return { status, body: createdAt === undefined ? body : answerBody({ ...order, createdAt }), replay: false }
}

function record(
  { db, lanes }: AnswerDeps,
  call: PostCall,
  decision: Recordable,
  answer: StoredAnswer,
  { now, usedKey }: BaseFacts,
): Promise<Written> {
  if (decision.kind === 'existing') {
    // The key's stored answer is gone by retention; what it meant is known, and the order exists.
    if (usedKey !== undefined) return Promise.resolve({ lost: false, deliveriesDue: false })
    return recordAnswer(db, call, decision.order, answer)
  }
  if (decision.kind === 'advance') {
    return recordAdvance(db, call, decision, answer, eventOf(decision.order, now))
  }
  const { acceptance } = decision
  const event = eventOf(acceptance.order, now)
  return lanes[acceptance.order.direction].record({ call, acceptance, event })
}

function wake({ notifier, onAccepted }: AnswerDeps, order: NewOrder, deliveriesDue: boolean): void {
  if (order.status === 'pending') {
    onAccepted?.(order.chainId)
    notifier.notify(ORDERS_ACCEPTED, String(order.chainId))
  }
  if (deliveriesDue) notifier.notify(DELIVERIES_DUE, '')
}

/**
 * The answer that the key got for the same request, unless it is gone by retention; 409 when it was used for a
 * different one.
 */
async function replay(db: Queryable, call: PostCall, { usedKey, existing }: BaseFacts): Promise<Answer | undefined> {
  if (usedKey === undefined) return undefined
  if (usedKey.fingerprint !== call.fingerprint) throw refused(KEY_CONFLICT)
  if (usedKey.firstStatus === undefined || existing?.orderId !== usedKey.orderId) return replayGiven(db, call)
  return { ...firstAnswerOf(existing, usedKey.firstStatus), replay: true }
}

async function replayGiven(db: Queryable, call: PostCall): Promise<Answer | undefined> {
  const given = await findGivenAnswer(db, call)
  if (given === undefined) return undefined
  if (given.fingerprint !== call.fingerprint) throw refused(KEY_CONFLICT)
  return given.answer === undefined ? undefined : { ...given.answer, replay: true }
}

function fail(refusal: Refusal): never {
  throw refused(refusal)
}
