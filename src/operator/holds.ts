/**
 * For what an order, or a payout, is held, and which of that somebody means who lets it go: the letter that they act on may be an hour old. A row has one
 * reason; whoever holds the same for another one stands in the audit log alone, and their hold would end with the first.
 */
import type { IncomingHttpHeaders } from 'node:http'
import { Type } from 'typebox'
import type { Queryable } from '../db/database.ts'
import type { Payout, PayoutStatus } from '../payouts/payout.ts'
import { isSaidBySettler, saysRedeemWasHeld } from '../payouts/said-by-settlers.ts'
import { isSeen } from './as-seen.ts'
import { OperatorError } from './errors.ts'
import { MOST_HOLDS, readHoldsSaid, type SaidHold } from './holds.sql.ts'
import { bewareOf } from './minted-back.ts'
import { text } from './parse.ts'

/** Words of each reason for which it is held, as whoever lets it go names them. */
export const NamedHolds = Type.Array(text(1, 500), {
  minItems: 1,
  maxItems: MOST_HOLDS,
  description: `a list of 1 to ${MOST_HOLDS} texts of at most 500 characters`,
})

/** `by` and `at`: whose word it is, null of a rule's or a settler's. */
export type Hold = { reason: string; by: string | null; at: string | null }

/** `mayBeAnother`: it was held, and let go, before, so that somebody may mean that; or nobody can say that it was not. */
export type Holds = { now: readonly Hold[]; mayBeAnother: boolean }

const NONE: Holds = { now: [], mayBeAnother: false }

/** @param name integrationId/referenceId @param held the reason in its row */
export async function readOrderHolds(db: Queryable, name: string, held: string | null): Promise<Holds> {
  if (held === null) return NONE
  const { said, releases, endedBy } = await readHoldsSaid(db, 'order', name)
  const people = said
    .filter(({ auditId }) => auditId > endedBy)
    .map(viewOf)
    .reverse()
  const isTheirs = people.some(({ reason }) => reason === held)
  const now = distinct(isTheirs ? people : [byRule(held), ...people])
  // A settler's sentence may have replaced what a rule had held it for, of which nothing is left; and no rule judges that again.
  return { now, mayBeAnother: releases.length > 0 || (!isTheirs && isSentence(held)) }
}

/** What a rule holds for has a name of one word. */
const isSentence = (reason: string) => /\s/.test(reason)

/** Of what a rule holds, the name of the rule; where a settler has held it, its sentence. */
export async function readPayoutHolds(db: Queryable, payout: Payout): Promise<Holds> {
  const { payoutId, holdReason, lastError, attempt } = payout
  if (holdReason === null) return NONE
  const { said, releases, endedBy } = await readHoldsSaid(db, 'payout', payoutId)
  // What a bank has said of an earlier payment since replaces in the row what people, or a settler, hold it for, and ends nothing of that. And whoever
  // holds what a rule holds until people let it go changes nothing in the row.
  const isOthers = holdReason === 'by_operator' || holdReason === 'other_attempt' || holdReason === 'burn_not_seen'
  const isNow = ({ auditId }: SaidHold) => isOthers && auditId > endedBy
  const ofRedeem =
    isOthers && lastError !== null && saysRedeemWasHeld(lastError) ? await readRedeemsHolds(db, payout) : []
  const people = [...ofRedeem, ...said.filter(isNow).map(viewOf).reverse()]
  const isAlone = releases.length === 0 && said.every((each) => isNow(each) && each.insteadOf === null)
  const settlers = isOthers && lastError !== null && isSaidBySettler(lastError) ? [lastError] : []
  // A settler holds also what was held because it may have been paid: who has looked at the bank for that does not mean this.
  const mayBeAnother = !isAlone || settlers.length > 0 || (people.length > 0 && attempt > 1)
  const rules = people.length + settlers.length === 0 || holdReason !== 'by_operator' ? [holdReason] : []
  // What has come to speak against it since people, or a settler, held it ends no hold of theirs, and would end with it.
  const beware = people.length + settlers.length > 0 ? await bewareOf(db, payout, settlers[0]) : undefined
  const now = [...rules, ...settlers, ...(beware === undefined ? [] : [beware])].map(byRule)
  return { now: distinct([...now, ...people]), mayBeAnother }
}

/** What people hold a payout for, and have not let go, oldest first, whatever has become of it since. */
export async function readPeoplesHolds(db: Queryable, payoutId: string): Promise<Hold[]> {
  const { said, endedBy } = await readHoldsSaid(db, 'payout', payoutId)
  const holds = said.filter(({ auditId }) => auditId > endedBy).map(viewOf)
  return distinct(holds.reverse())
}

/** What people held its redeem for when a batch of others had burnt that, and have not let go. */
async function readRedeemsHolds(db: Queryable, { integrationId, referenceId }: Payout): Promise<Hold[]> {
  const { said, endedBy } = await readHoldsSaid(db, 'order', `${integrationId}/${referenceId}`)
  return said
    .filter(({ auditId }) => auditId > endedBy)
    .map(viewOf)
    .reverse()
}

/** In these it is paid, or its coin minted back, by the word of people. */
export const BY_PEOPLE: ReadonlySet<PayoutStatus> = new Set(['held', 'rejected', 'returned'])

/**
 * What a payout is held for, or what speaks against paying one that is held or came back, that nobody has said of it: it comes without any decision. A settler
 * holds nothing of what a rail was asked for before.
 */
export async function readUnsaid(db: Queryable, payout: Payout): Promise<string[]> {
  const { status, lastError } = payout
  if (!BY_PEOPLE.has(status)) return []
  const { now } = await readPayoutHolds(db, payout)
  const settlers = lastError !== null && isSaidBySettler(lastError) ? [lastError] : []
  const beware = await bewareOf(db, payout)
  return [...now.filter(({ by }) => by === null).map(({ reason }) => reason), ...settlers, ...(beware ? [beware] : [])]
}

const viewOf = ({ reason, actor, at }: SaidHold): Hold => ({ reason, by: actor, at: at.toISOString() })
const byRule = (reason: string): Hold => ({ reason, by: null, at: null })

function distinct(holds: readonly Hold[]): Hold[] {
  const isSame = (one: Hold) => (other: Hold) => one.reason === other.reason && one.by === other.by
  return holds.filter((hold, index) => holds.findIndex(isSame(hold)) === index)
}

/** What one is called in a sentence. */
export const sayHold = ({ reason, by, at }: Hold): string =>
  by === null ? `“${reason}”` : `“${reason}” (${by}, ${at})`

/** `command`: what lets it go, and `look`: what shows it, both in quotes as they can be pasted. */
type About = { name: string; command: string; look: string }

/**
 * Compares the reasons that somebody means with all that it is held for. They may be left out where it was held once, for one: then nobody can mean another.
 * @param named words of each of them
 * @throws OperatorError CONFLICT
 */
export function requireHoldsMeant(
  headers: IncomingHttpHeaders,
  { now, mayBeAnother }: Holds,
  named: readonly string[] | undefined,
  { name, command, look }: About,
): void {
  if (named === undefined && (isSeen(headers) || !(mayBeAnother || now.length > 1))) return
  const isNamed = (hold: Hold) => named?.some((words) => isMeant(hold, words)) === true
  const strange = named?.find((words) => !now.some((hold) => isMeant(hold, words)))
  if (named !== undefined && strange === undefined && now.every(isNamed)) return
  const why =
    strange !== undefined
      ? `${name} is not held for “${strange}”`
      : named === undefined
        ? `${name} may be held for another reason than you mean`
        : `You have not named all that ${name} is held for`
  const all = `It is held for ${now.map(sayHold).join('; ')}.`
  const say = `Nothing was done. Look at it with ${look}, then name each reason by words of it: ${command}.`
  throw new OperatorError('CONFLICT', `${why}. ${all} ${say}`)
}

/** Fewer characters are in nearly every sentence. */
const LEAST_WORDS = 4

/** People type what they read in a letter, or paste a part of it. */
function isMeant({ reason }: Hold, words: string): boolean {
  const [whole, part] = [plain(reason), plain(words)]
  return whole === part || (part.length >= LEAST_WORDS && whole.includes(part))
}

const plain = (text: string) => text.trim().replace(/\s+/g, ' ').toLowerCase()
