/**
 * Whoever only looks, or changes something without stopping anything, may run a few statements at a time. All share the database's connections, and who
 * stops something must not wait behind what others want to see or do (docs/DECISIONS.md, 281 and 286).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../db/database.ts'
import { OperatorError } from './errors.ts'

/** Statements and transactions that one person has under way. */
const MOST_OF_ONE = 3
/** Looks, and changes, of one person that are not answered yet. */
const MOST_OPEN = 50

export type FewLooks = {
  /** The database. What a look or a change runs in it waits for its turn; everything else runs at once. */
  db: Database
  /**
   * Runs a look of the person; null: of those with OPERATOR_TOKEN.
   * @param mayBegin throws why it must not begin any more, as who asked has gone or is disabled; called where it has waited
   * @throws OperatorError TOO_MANY_REQUESTS when too many of theirs wait already
   */
  look<T>(operatorId: string | null, mayBegin: () => Promise<void>, work: () => Promise<T>): Promise<T>
  /** The same of a command that changes something and stops nothing. */
  change<T>(operatorId: string | null, mayBegin: () => Promise<void>, work: () => Promise<T>): Promise<T>
}

type Person = { operatorId: string | null; open: number; underWay: number; waiting: (() => void)[] }

type Turns = ReturnType<typeof createTurns>

/** `hasTurn`: a statement within a transaction that has its turn does not wait for another, which could be waiting for this one. */
type UnderWay = {
  turns: Turns
  operatorId: string | null
  hasBegun: boolean
  mayBegin: () => Promise<void>
  hasTurn: boolean
}

const underWay = new AsyncLocalStorage<UnderWay>()

/** @param poolSize connections of this process: looks have half of them, changes a third; of two, which is the least, both share one */
export function createFewLooks(db: Database, poolSize: number): FewLooks {
  const looks = createTurns(Math.max(1, Math.floor(poolSize / 2)))
  const changes = poolSize < 3 ? looks : createTurns(Math.floor((poolSize + 1) / 3))

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = underWay.getStore()
    if (mine === undefined || mine.hasTurn) return await work()
    const { hasWaited, end } = await mine.turns.turnOf(mine.operatorId)
    try {
      const within = { ...mine, hasTurn: true }
      if (hasWaited && !mine.hasBegun) await underWay.run(within, mine.mayBegin)
      mine.hasBegun = true
      return await underWay.run(within, work)
    } finally {
      end()
    }
  }

  return {
    db: {
      ...db,
      query: (text, params) => inTurn(() => db.query(text, params)),
      transaction: (work) => inTurn(() => db.transaction(work)),
    },
    look(operatorId, mayBegin, work) {
      const mine = { turns: looks, operatorId, hasBegun: false, mayBegin, hasTurn: false }
      return counted(mine, 'looks', () => underWay.run(mine, work))
    },
    change(operatorId, mayBegin, work) {
      const mine = { turns: changes, operatorId, hasBegun: false, mayBegin, hasTurn: false }
      return counted(mine, 'changes', () => underWay.run(mine, work))
    },
  }
}

/**
 * Runs one of a person's, as long as few of theirs are open.
 * @param what they are, as a refusal says it
 * @throws OperatorError TOO_MANY_REQUESTS
 */
async function counted<T>(
  { turns: { personOf, forget }, operatorId }: Pick<UnderWay, 'turns' | 'operatorId'>,
  what: string,
  work: () => Promise<T>,
): Promise<T> {
  const person = personOf(operatorId)
  if (person.open >= MOST_OPEN) {
    throw new OperatorError(
      'TOO_MANY_REQUESTS',
      `${MOST_OPEN} ${what} of yours wait to be answered already: try again when some of them are.`,
    )
  }
  person.open += 1
  try {
    return await work()
  } finally {
    person.open -= 1
    forget(person)
  }
}

/** @param most turns of all people at a time */
function createTurns(most: number) {
  const mostOfOne = Math.max(1, Math.min(MOST_OF_ONE, most - 1))
  /** By id, those first who have waited longest since their last turn. */
  const people = new Map<string | null, Person>()
  let taken = 0

  function begin(): void {
    for (const person of people.values()) {
      if (taken >= most) return
      const next = person.underWay < mostOfOne ? person.waiting.shift() : undefined
      if (next === undefined) continue
      taken += 1
      person.underWay += 1
      // To the end, where this loop comes by once more.
      people.delete(person.operatorId)
      people.set(person.operatorId, person)
      next()
    }
  }

  /** A look may end with an error while some of its statements wait or are under way. */
  function forget(person: Person): void {
    if (person.open === 0 && person.underWay === 0 && person.waiting.length === 0) people.delete(person.operatorId)
  }

  /** Also of somebody who is forgotten: what a failed look has left running goes on. */
  function personOf(operatorId: string | null): Person {
    const person = people.get(operatorId) ?? { operatorId, open: 0, underWay: 0, waiting: [] }
    people.set(operatorId, person)
    return person
  }

  return {
    personOf,
    forget,
    /** Waits for a turn of the person's, which `end` ends. */
    async turnOf(operatorId: string | null): Promise<{ hasWaited: boolean; end: () => void }> {
      const person = personOf(operatorId)
      const { promise: turn, resolve } = Promise.withResolvers<void>()
      person.waiting.push(resolve)
      begin()
      const hasWaited = person.waiting.includes(resolve)
      await turn
      const end = () => {
        taken -= 1
        person.underWay -= 1
        forget(person)
        begin()
      }
      return { hasWaited, end }
    },
  }
}
