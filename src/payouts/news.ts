/**
 * What becomes of a payout when a rail, a statement or an operator says something about one of its attempts (pure).
 *
 * A payout is settled once. Attempts follow one another only when the one before was certainly not carried out, yet a bank
 * may carry one out that it had refused. Such an attempt counts as the payout's own as long as no other can: then nothing
 * was paid twice. Otherwise it is extra: ringgit left the bank for which nothing was owed. That is kept with the attempt, booked
 * as unallocated, and said aloud; and it settles the payout as soon as the other attempt turns out to have failed.
 */
import { type AttemptStatus, type HoldReason, hasCameBack, type PayoutStatus } from './payout.ts'

export type KnownAttempt = { attempt: number; status: AttemptStatus; isExtra: boolean }

/** `isRefunding`: its coin is being minted back, so that nothing else can settle it once it has come back. */
export type KnownPayout = {
  status: PayoutStatus
  attempt: number
  attempts: readonly KnownAttempt[]
  isRefunding: boolean
}

/** What is said of a payment. */
export type NewsKind =
  /** The rail has it. */
  | 'sent'
  | 'paid'
  /** It was not taken, or not carried out. */
  | 'rejected'
  /** Its rail called it paid, and was wrong. */
  | 'unpaid'
  /** What a statement showed was another payment. */
  | 'unshown'
  /** It was paid, and came back. */
  | 'returned'

/** What that is in the books (`PAYOUT_ACCOUNTS` of the ledger's postings). */
export type PayoutBooking =
  | 'sent'
  /** What was with the rail is payable again. */
  | 'unsent'
  | 'paid'
  /** What the rail had called paid is payable again. */
  | 'unpaid'
  /** What a statement had shown is with the rail again. */
  | 'unshown'
  | 'returned'
  | 'extraPaid'
  | 'extraReturned'
  /** What a statement had shown of an extra payment was another one. */
  | 'extraUnshown'
  /** An extra payment settles the payout. */
  | 'extraTaken'

export type NewsStep =
  /** The bank knows a payment that the database has no record of having asked for. */
  | { do: 'ask'; attempt: number }
  | { do: 'attempt'; attempt: number; to: AttemptStatus; isExtra: boolean }
  /** With `attempt`, that one counts from now on. */
  | { do: 'payout'; to: PayoutStatus; attempt: number; holdReason: HoldReason | null }
  | { do: 'book'; what: PayoutBooking; attempt: number }

/**
 * known: nothing new · contradiction: the bank says that a payment was not carried out which it said was paid, so that nothing
 * is recorded · extra: ringgit left, or is leaving, for which nothing was owed
 */
export type NewsOutcome = 'recorded' | 'known' | 'contradiction' | 'extra'

export type NewsPlan = { outcome: NewsOutcome; steps: readonly NewsStep[] }

/** What to do about news of an attempt: one that was asked for, or the newest. Saying the same again changes nothing. */
export function planNews(known: KnownPayout, attempt: number, kind: NewsKind): NewsPlan {
  const life = createLife(known)
  const at = life.find(attempt)
  const before = at.status
  if (kind === before) return { outcome: 'known', steps: [] }
  if (kind === 'unpaid' || kind === 'unshown') {
    if (before !== 'paid' || (at.isExtra && kind === 'unpaid')) return { outcome: 'contradiction', steps: [] }
    if (kind === 'unpaid') life.disprove(at)
    else life.reopen(at)
  } else if (kind === 'rejected') {
    if (before === 'paid' || before === 'returned') return { outcome: 'contradiction', steps: [] }
    life.reject(at)
  } else {
    if (before === 'returned' || (kind === 'sent' && before === 'paid')) return { outcome: 'known', steps: [] }
    if (before === 'asked' || before === 'rejected') life.send(at)
    if (kind !== 'sent' && at.status === 'sent') life.pay(at)
    if (kind === 'returned') life.giveBack(at)
  }
  return { outcome: at.isExtra ? 'extra' : 'recorded', steps: life.steps }
}

/** What to do when nothing is minted back after all: an extra payment may settle the payout. */
export function planUnrefunded(known: KnownPayout): NewsPlan {
  const life = createLife({ ...known, isRefunding: false })
  life.absorb()
  return { outcome: 'recorded', steps: life.steps }
}

/** What is known of a payout, and the steps that change it. */
type Course = ReturnType<typeof openCourse>

function openCourse(known: KnownPayout) {
  const steps: NewsStep[] = []
  const attempts = new Map(known.attempts.map((each) => [each.attempt, { ...each }]))
  const now = { status: known.status, attempt: known.attempt }
  return {
    steps,
    attempts,
    now,
    isRefunding: known.isRefunding,
    move(to: PayoutStatus, attempt = now.attempt, holdReason: HoldReason | null = null) {
      now.status = to
      now.attempt = attempt
      steps.push({ do: 'payout', to, attempt, holdReason })
    },
    set(at: KnownAttempt, to: AttemptStatus, isExtra = at.isExtra) {
      at.status = to
      at.isExtra = isExtra
      steps.push({ do: 'attempt', attempt: at.attempt, to, isExtra })
    },
    book: (what: PayoutBooking, { attempt }: KnownAttempt) => void steps.push({ do: 'book', what, attempt }),
  }
}

/**
 * Whether this attempt can settle the payout, because no other one does or may. Of one that has not come back here, a refund is that of a history which the
 * database has lost: it came back there, after whatever its rail says first.
 */
function isFree({ attempts, now, isRefunding }: Course, { attempt }: KnownAttempt): boolean {
  const current = attempts.get(now.attempt)
  const isOpen =
    ['queued', 'held'].includes(now.status) || (['rejected', 'returned'].includes(now.status) && !isRefunding)
  const isOver = current === undefined || hasCameBack(current.status)
  return isOpen && (attempt === now.attempt || isOver)
}

function settleWith({ now, move }: Course, at: KnownAttempt): void {
  if (now.status !== 'queued') move('queued', now.status === 'held' ? now.attempt : at.attempt)
  if (now.attempt !== at.attempt) move('queued', at.attempt)
  move('sent')
}

/** An extra payment settles a payout whose own attempt has failed; of several one that can: its own may be extra, too, because coin was being minted back. */
function absorb(course: Course): void {
  const { attempts, move, set, book } = course
  const extras = [...attempts.values()].filter((each) => each.isExtra && isFree(course, each))
  const extra = extras.find(({ status }) => status === 'paid') ?? extras[0]
  if (extra === undefined) return
  set(extra, extra.status, false)
  settleWith(course, extra)
  if (extra.status === 'paid') {
    move('paid')
    book('extraTaken', extra)
  } else book('sent', extra)
}

/** A payout's life from here on, with the steps that it took. */
function createLife(known: KnownPayout) {
  const course = openCourse(known)
  const { steps, attempts, now, move, set, book } = course
  return {
    steps,
    absorb: () => absorb(course),
    find(attempt: number): KnownAttempt {
      const found = attempts.get(attempt)
      if (found !== undefined) return found
      const asked: KnownAttempt = { attempt, status: 'asked', isExtra: false }
      attempts.set(attempt, asked)
      steps.push({ do: 'ask', attempt })
      return asked
    },
    send(at: KnownAttempt) {
      const free = isFree(course, at)
      set(at, 'sent', !free)
      if (free) {
        settleWith(course, at)
        book('sent', at)
      } else if (now.status === 'queued' || now.status === 'held') move('held', now.attempt, 'other_attempt')
    },
    pay(at: KnownAttempt) {
      set(at, 'paid')
      if (!at.isExtra) move('paid')
      book(at.isExtra ? 'extraPaid' : 'paid', at)
    },
    reject(at: KnownAttempt) {
      const { status: before, isExtra } = at
      set(at, 'rejected', false)
      const isOpen = ['queued', 'held', 'sent'].includes(now.status)
      if (isExtra || at.attempt !== now.attempt || !isOpen) return
      if (now.status === 'held') move('queued')
      move('rejected')
      if (before === 'sent') book('unsent', at)
      absorb(course)
    },
    disprove(at: KnownAttempt) {
      set(at, 'rejected')
      move('rejected')
      book('unpaid', at)
      absorb(course)
    },
    reopen(at: KnownAttempt) {
      set(at, 'sent')
      if (!at.isExtra) move('sent')
      book(at.isExtra ? 'extraUnshown' : 'unshown', at)
    },
    giveBack(at: KnownAttempt) {
      const { isExtra } = at
      set(at, 'returned', false)
      book(isExtra ? 'extraReturned' : 'returned', at)
      if (isExtra) return
      move('returned')
      absorb(course)
    },
  }
}
