/** Ways to spoil sound evidence. */
import type { Attempt, Hook, ListedOrder, Movement } from './evidence.ts'
import { ALICE, type Draft } from './sound-evidence.ts'

/**
 * A way to spoil sound evidence; the judge must find violations of exactly these rules, the first of them about
 * `subject`.
 */
export type Planted = { what: string; rules: readonly string[]; subject: string; plant: (evidence: Draft) => void }

export const first = <T>(list: readonly T[], is: (item: T) => boolean): T => {
  const found = list.find(is)
  if (found === undefined) throw new Error('nothing to spoil')
  return found
}
export const orderOf = (evidence: Draft, reference: string): ListedOrder =>
  first(evidence.orders, (one) => one.reference === reference)
export const hookOf = (evidence: Draft, type: string): Hook => first(evidence.hooks, (one) => one.type === type)
export const attemptOf = (evidence: Draft, reference: string): Attempt =>
  first(evidence.attempts, (one) => one.reference === reference)
export const move = (evidence: Draft, reference: string): Movement =>
  first(evidence.chain.movements, ({ txHash }) => txHash === `0x${reference}`)

export function withMovements(evidence: Draft, movements: readonly Movement[]): void {
  evidence.chain = { ...evidence.chain, movements }
}

/** The coin really exists: supply and balance show it too. */
export function mintAgain(evidence: Draft): void {
  const again = { ...move(evidence, 'ref-mint'), txHash: '0xagain', blockNumber: 13n }
  const { balances, supplyMicro, movements } = evidence.chain
  const balance = (balances.get(ALICE) ?? 0n) + again.amountMicro
  evidence.chain = {
    ...evidence.chain,
    movements: [...movements, again],
    supplyMicro: supplyMicro + again.amountMicro,
    balances: new Map([...balances, [ALICE, balance]]),
  }
}

/** Books with these balances of accounts, whatever they said of them. */
export function rebook(evidence: Draft, balances: Record<string, bigint>): void {
  const books = new Map(evidence.books.map(({ account, balanceMicro }) => [account, balanceMicro]))
  for (const [account, balanceMicro] of Object.entries(balances)) books.set(account, balanceMicro)
  evidence.books = [...books].map(([account, balanceMicro]) => ({ account, balanceMicro }))
}

export function change<T extends object>(target: T, changes: Partial<T>): void {
  Object.assign(target, changes)
}
