/** Gauges of the reserve: whether it covers what exists, how old its statements are, and how old the proof is that everybody sees. */
import { Gauge, type Registry } from 'prom-client'
import { availableOf, committedOf, holdsMoney, type ReserveFacts } from './guard.ts'

export type ReserveLook = {
  facts: ReserveFacts
  /** Since the newest proof was made; undefined before the first. */
  proofAgeMs: number | undefined
  /** The accounts of which statements are to come, as far as this process knows them. */
  awaited: readonly string[]
  /** Since the first entry of the books: for as long what never came, and was never proven, is missing. Undefined before it. */
  booksAgeMs: number | undefined
}

type Shown = { labels: Record<string, string>; value: number }

const MICRO = 1_000_000

/** Registers them. What is not known is not shown: no room before the first statement, and nothing at all before the first entry of the books. */
export function showReserves(registry: Registry, read: () => Promise<ReserveLook>): void {
  const gauge = (name: string, help: string, labelNames: string[], show: (look: ReserveLook) => Shown[]) =>
    new Gauge({
      name: `reserve_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        const look = await read().catch(() => undefined)
        // Resetting one without labels would set it to zero.
        if (labelNames.length === 0) this.remove()
        else this.reset()
        for (const { labels, value } of look === undefined ? [] : show(look)) this.set(labels, value)
      },
    })
  const room = 'Ringgit at the bank beyond all coin and what is owed; below zero: it does not cover them'
  gauge('room_myr', room, [], ({ facts }) => {
    const roomMicro = availableOf(facts) - committedOf(facts)
    return facts.accounts.length === 0 ? [] : [{ labels: {}, value: Number(roomMicro) / MICRO }]
  })
  gauge(
    'statement_age_seconds',
    'Since the end of the day that the newest statement closes; of an account without one, since the first entry of the books',
    ['account'],
    (look) =>
      [...spokenOf(look), ...silentOf(look)].map(({ bankAccount: account, ageMs }) => ({
        labels: { account },
        value: ageMs / 1_000,
      })),
  )
  const proof = 'Since the newest proof of reserves; before the first, since the first entry of the books'
  gauge('proof_age_seconds', proof, [], ({ proofAgeMs, booksAgeMs }) => {
    const ageMs = proofAgeMs ?? booksAgeMs
    return ageMs === undefined ? [] : [{ labels: {}, value: ageMs / 1_000 }]
  })
}

/** The accounts of which statements came, without those that are closed: empty, and in the bank profile no more. */
function spokenOf({ facts, awaited }: ReserveLook): { bankAccount: string; ageMs: number }[] {
  const isClosed = (bankAccount: string) => awaited.length > 0 && !awaited.includes(bankAccount)
  return facts.accounts.filter((account) => holdsMoney(account) || !isClosed(account.bankAccount))
}

/** The accounts of which no statement ever came. */
function silentOf({ facts, awaited, booksAgeMs: ageMs }: ReserveLook): { bankAccount: string; ageMs: number }[] {
  if (ageMs === undefined) return []
  const heardOf = new Set(facts.accounts.map(({ bankAccount }) => bankAccount))
  return awaited.filter((account) => !heardOf.has(account)).map((bankAccount) => ({ bankAccount, ageMs }))
}
