/**
 * Who acts: known to everything that a request does, so that what is recorded about it names the person, whatever the
 * route passes on. A route cannot forget it, and cannot name somebody else.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Queryable } from '../db/database.ts'

export type Acting = {
  /** The person's name, as the audit log has it. */
  actor: string
  /** The address the request came from. */
  origin: string
  /** Why, in the person's words, where they have said it: every entry has it. */
  reason?: string | undefined
  /** The approval under which the request runs, where it needed one: every entry names it. */
  approvalId?: string | undefined
  /** Set where an approval lets the request through: uses it up for this request, and throws when that cannot be. */
  useApproval?: (tx: Queryable) => Promise<void>
  /** Set with it: throws where what was approved looks otherwise by now. */
  requireAsApproved?: (tx: Queryable) => Promise<void>
  /** Set while a request is only tried: `useApproval` ends it, after the work of its first transaction instead of before. */
  isRehearsal?: true
  /** Set while a whole request runs in one transaction, because its answer is remembered in it. */
  tx?: Queryable
  /** What the command changes, as it is now; see `src/operator/subjects.ts`. Absent where nothing here changes. */
  look?: ((tx: Queryable, target: string | null) => Promise<Record<string, unknown> | undefined>) | undefined
}

const acting = new AsyncLocalStorage<Acting>()

/** Runs `work` in the name of `who`. */
export function actAs<T>(who: Acting, work: () => T): T {
  return acting.run(who, work)
}

/** Who acts here. @throws Error where nobody does: what nobody did is not to be recorded */
export function whoActs(): Acting {
  const who = acting.getStore()
  if (who === undefined) throw new Error('nobody acts here: run it within actAs')
  return who
}
