/**
 * Wallets about which the sanctions oracle does not answer (pure). Their orders are left out when orders are chosen, so that what is
 * known to wait takes no room from others; the oracle is asked about them at each new head, apart from what is due.
 */
import { MOST_AT_ONCE } from '../../chain/asking.ts'
import type { Screening } from '../../chain/sanctions.ts'

/** `sinceMs`: by wallet, in lower case, since when. `askedAtHash`: the head at which all of them were asked about last. */
export type Unanswered = { sinceMs: ReadonlyMap<string, number>; askedAtHash: string | undefined }

export const NOTHING_UNANSWERED: Unanswered = { sinceMs: new Map(), askedAtHash: undefined }

/** So many calls ask about all of them. Any more are chosen and asked about in each round, as though they were new. */
const MOST = 16 * MOST_AT_ONCE

/** How long one is remembered: its orders may have been held or rejected since. */
const FORGOTTEN_AFTER_MS = 600_000

/** With these wallets, as far as there is room. */
export function withUnanswered(unanswered: Unanswered, wallets: readonly string[], nowMs: number): Unanswered {
  const { sinceMs: known } = unanswered
  const added = wallets.filter((wallet) => !known.has(wallet)).slice(0, MOST - known.size)
  return { ...unanswered, sinceMs: new Map([...known, ...added.map((wallet) => [wallet, nowMs] as const)]) }
}

/** Those whose turn it is to be asked about. */
export function dueForAsking({ sinceMs }: Unanswered): string[] {
  return [...sinceMs.keys()].slice(0, MOST_AT_ONCE)
}

/**
 * What is left once the oracle was asked again; `hash` is the head at which it answered last. What it answers about is chosen again,
 * whatever it says; the others have their next turn last.
 * @param said of those that were asked about
 */
export function afterAsking(
  { sinceMs }: Unanswered,
  said: ReadonlyMap<string, Screening>,
  { hash, nowMs }: { hash: string | undefined; nowMs: number },
): Unanswered {
  const kept = [...sinceMs].filter(([, since]) => nowMs - since < FORGOTTEN_AFTER_MS)
  const notAsked = kept.filter(([wallet]) => !said.has(wallet))
  const stillUnanswered = kept.filter(([wallet]) => said.get(wallet) === 'unanswered')
  return { sinceMs: new Map([...notAsked, ...stillUnanswered]), askedAtHash: hash }
}
