/** Every answer is one that the contract allows for its request, and a repeated request gets the first answer again. */
import { casesOf, isAcknowledged, orderIn } from '../cases.ts'
import type { Attempt, Direction, Intent, Rule, Violation } from '../evidence.ts'

/** No answer at all, or one that says "try again": faults excuse these, but no other status above 499. */
const ALWAYS = ['0', '502 SETTLEMENT_FAILED', '503 SERVICE_UNAVAILABLE']

const CREATED: Record<Direction, readonly string[]> = {
  MINT: ['201'],
  REDEEM: ['201', '400 INSUFFICIENT_BALANCE', '400 POLICY_REJECTED', '400 MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED'],
  TRANSFER: [
    '201',
    '400 INSUFFICIENT_BALANCE',
    '400 POLICY_REJECTED',
    '403 RECIPIENT_NOT_PERMITTED',
    '400 TRANSFER_DAILY_CAP_EXCEEDED',
  ],
}

function allowedFor({ purpose }: Attempt, { direction }: Intent): readonly string[] {
  switch (purpose) {
    case 'create':
    case 'same reference, other key':
      return CREATED[direction]
    case 'same reference, other details':
      return direction === 'REDEEM' ? ['409 IDEMPOTENCY_CONFLICT'] : ['201']
    case 'same key, other body':
      return ['409 IDEMPOTENCY_CONFLICT']
    case 'confirm':
      return ['201']
    case 'cancel':
      return ['200', '409 ORDER_NOT_CANCELLABLE']
    case 'look':
      return ['200', '404 NOT_FOUND']
  }
}

/** A mint may be refused while its key's cap is used up, and while the limit on the chain is lowered. */
function isLimited(
  { status, code, text }: Attempt,
  { direction, keyId }: Intent,
  capped: ReadonlySet<string>,
): boolean {
  if (direction !== 'MINT' || status !== 400 || code !== 'POLICY_REJECTED') return false
  return text.includes('"above_chain_limit"') || (capped.has(keyId) && text.includes('"mint_day_cap"'))
}

export const answersAreAllowed: Rule = (evidence) => {
  const capped = new Set(evidence.keys.filter((key) => key.mintDayCapMicro !== null).map(({ keyId }) => keyId))
  const isAllowed = (attempt: Attempt, intent: Intent, attempts: readonly Attempt[]) => {
    // A key under which every request was refused is free: its request is a new one.
    const isFree = !attempts.some((one) => one.key === attempt.key && one !== attempt && isAcknowledged(one))
    const purpose = attempt.purpose === 'same key, other body' && isFree ? 'create' : attempt.purpose
    const answer = `${attempt.status} ${attempt.code}`.trim()
    const allowed = [...ALWAYS, ...allowedFor({ ...attempt, purpose }, intent)]
    return allowed.includes(answer) || isLimited(attempt, intent, capped)
  }
  return casesOf(evidence).flatMap(({ intent, attempts }) =>
    attempts
      .filter((attempt) => !isAllowed(attempt, intent, attempts))
      .map(({ purpose, status, code, text }) => ({
        rule: 'answers',
        subject: intent.reference,
        message: `"${purpose}" of a ${intent.direction} was answered ${status} ${code}: ${text.slice(0, 300)}`,
      })),
  )
}

export const answersTellTheOrder: Rule = (evidence) =>
  casesOf(evidence).flatMap(({ intent, attempts }) =>
    attempts.filter(isAcknowledged).flatMap(({ text }) => {
      const told = orderIn(text)
      const isRight =
        told?.direction === intent.direction &&
        told.amountRaw === String(intent.amountMicro) &&
        told.wallet === intent.wallet
      return isRight
        ? []
        : [{ rule: 'answers', subject: intent.reference, message: `an answer tells another order: ${text}` }]
    }),
  )

export const replaysAreEqual: Rule = ({ attempts }) => {
  const accepted = attempts.filter(
    (attempt) => attempt.key !== '' && attempt.purpose !== 'same key, other body' && isAcknowledged(attempt),
  )
  const byKey = Map.groupBy(accepted, ({ key }) => key)
  return [...byKey].flatMap(([key, same]): Violation[] => {
    const subject = `${same[0]?.reference} key ${key}`
    const answers = new Set(same.map(({ status, text }) => `${status} ${text}`))
    const originals = same.filter(({ isReplay }) => !isReplay).length
    return [
      ...(answers.size > 1 ? [{ rule: 'replays', subject, message: `differ: ${[...answers].join(' | ')}` }] : []),
      ...(originals > 1
        ? [{ rule: 'replays', subject, message: `${originals} answers claim to be the original` }]
        : []),
    ]
  })
}
