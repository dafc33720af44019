/**
 * Who only looks has a few statements at a time: the connections are everybody's, and whoever stops something must not wait behind what others
 * want to see (docs/DECISIONS.md, 281).
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Database } from '../db/database.ts'
import { OperatorError } from './errors.ts'

/** Statements and transactions that one person has under way. */
const MOST_OF_ONE = 3
/** Looks of one person that are not answered yet. */
const MOST_OPEN = 50

export type FewLooks = {
  /** The database. What a look runs in it waits for its turn; everything else runs at once. */
  db: Database
  /**
   * Runs a look of the person; null: of those with OPERATOR_TOKEN.
   * @param isGone whether who asked has gone: what has not begun by then does not begin
   * @throws OperatorError TOO_MANY_REQUESTS when too many of theirs wait already
   */
  look<T>(operatorId: string | null, isGone: () => boolean, work: () => Promise<T>): Promise<T>
}

type Person = { operatorId: string | null; open: number; underWay: number; waiting: (() => void)[] }

/** `hasTurn`: a statement within a transaction that has its turn does not wait for another, which could be waiting for this one. */
type Look = { person: Person; hasBegun: boolean; isGone: () => boolean; hasTurn: boolean }

const looking = new AsyncLocalStorage<Look>()

/** @param poolSize connections of this process: looks have half of them */
export function createFewLooks(db: Database, poolSize: number): FewLooks {
  const { personOf, turnOf, forget } = createTurns(Math.max(1, Math.floor(poolSize / 2)))

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const look = looking.getStore()
    if (look === undefined || look.hasTurn) return await work()
    const end = await turnOf(look.person)
    try {
      if (!look.hasBegun && look.isGone()) throw new OperatorError('TOO_MANY_REQUESTS', 'Who asked for this has gone.')
      look.hasBegun = true
      return await looking.run({ ...look, hasTurn: true }, work)
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
    async look(operatorId, isGone, work) {
      const person = personOf(operatorId)
      if (person.open >= MOST_OPEN) {
        throw new OperatorError(
          'TOO_MANY_REQUESTS',
          `${MOST_OPEN} looks of yours wait to be answered already: try again when some of them are.`,
        )
      }
      person.open += 1
      try {
        return await looking.run({ person, hasBegun: false, isGone, hasTurn: false }, work)
      } finally {
        person.open -= 1
        forget(person)
      }
    },
  }
}

/** @param most turns of all people at a time */
function createTurns(most: number) {
  const mostOfOne = Math.max(1, Math.min(MOST_OF_ONE, most - 1))
  /** By id, those first who have waited longest since their last turn. */
  const people = new Map<string | null, Person>()
  let underWay = 0

  function begin(): void {
    for (const person of people.values()) {
      if (underWay >= most) return
      const next = person.underWay < mostOfOne ? person.waiting.shift() : undefined
      if (next === undefined) continue
      underWay += 1
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

  return {
    forget,
    personOf(operatorId: string | null): Person {
      const person = people.get(operatorId) ?? { operatorId, open: 0, underWay: 0, waiting: [] }
      people.set(operatorId, person)
      return person
    },
    /** Waits for a turn of the person's. @returns ends it */
    async turnOf(person: Person): Promise<() => void> {
      await new Promise<void>((resolve) => {
        person.waiting.push(resolve)
        begin()
      })
      return () => {
        underWay -= 1
        person.underWay -= 1
        forget(person)
        begin()
      }
    },
  }
}
