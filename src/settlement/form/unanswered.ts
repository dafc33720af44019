/**
 * Wallets about which the sanctions oracle does not answer (pure). Their orders are left out when orders are chosen, so that what is
 * known to wait takes no room from others; the oracle is asked about them at each new head, apart from what is due.
 */

/** `sinceMs`: by wallet, in lower case, since when. `askedAtHash`: the head at which all of them were asked about last. */
export type Unanswered = { sinceMs: ReadonlyMap<string, number>; askedAtHash: string | undefined }

export const NOTHING_UNANSWERED: Unanswered = { sinceMs: new Map(), askedAtHash: undefined }

/** As many as one call asks about. Any more are chosen and asked about in each round, as though they were new. */
const MOST = 1_020

/** How long one is remembered: its orders may have been held or rejected since. */
const FORGOTTEN_AFTER_MS = 600_000

/** With these wallets, as far as there is room. */
export function withUnanswered(unanswered: Unanswered, wallets: readonly string[], nowMs: number): Unanswered {
  const { sinceMs: known } = unanswered
  const added = wallets.filter((wallet) => !known.has(wallet)).slice(0, MOST - known.size)
  return { ...unanswered, sinceMs: new Map([...known, ...added.map((wallet) => [wallet, nowMs] as const)]) }
}

/** What is left once the oracle was asked again; `hash` is the head at which it answered last. What it answers about is chosen again, whatever it says. */
export function afterAsking(
  { sinceMs }: Unanswered,
  isAnswered: (wallet: string) => boolean,
  { hash, nowMs }: { hash: string | undefined; nowMs: number },
): Unanswered {
  const left = [...sinceMs].filter(([wallet, since]) => !isAnswered(wallet) && nowMs - since < FORGOTTEN_AFTER_MS)
  return { sinceMs: new Map(left), askedAtHash: hash }
}
