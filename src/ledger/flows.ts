/** What moves on a chain for an integration in a day (pure): the daily close adds it up. Amounts are micro units. */
import { type AccountKind, accountOf, readAccount } from './accounts.ts'
import type { Entry } from './postings.ts'

export type Flow = {
  integrationId: string
  chainId: number
  /** When it happened; the books decide on which day it counts. */
  effectiveAt: Date
  mintedMicro: bigint
  /** Minted back to a holder whose redeem was not paid. */
  refundedMicro: bigint
  redeemedMicro: bigint
  transferredMicro: bigint
  feesMicro: bigint
}

/** What moved coin for nobody's integration counts here. */
const NOBODY = '-'

/** What entries say about coin: one flow for each entry and chain on which it moves coin. */
export function flowsOf(entries: readonly Entry[]): Flow[] {
  return entries.flatMap(({ effectiveAt, lines }) => movedBy(lines).map((moved) => ({ ...moved, effectiveAt })))
}

/** What an entry moves of coin: one flow for each chain. */
export function movedBy(lines: Entry['lines']): Omit<Flow, 'effectiveAt'>[] {
  const chains = new Set(lines.flatMap(({ account }) => (isKind(account, 'coins') ? ownerOf(account) : [])))
  return [...chains].map((chain) => movedOn(Number(chain), lines))
}

function movedOn(chainId: number, lines: Entry['lines']): Omit<Flow, 'effectiveAt'> {
  const coins = accountOf('coins', chainId)
  const sum = (picks: (line: Entry['lines'][number]) => boolean) =>
    lines.filter(picks).reduce((total, { amountMicro }) => total + amountMicro, 0n)
  const created = -sum(({ account, amountMicro }) => account === coins && amountMicro < 0n)
  const owed = sum(({ account, amountMicro }) => isKind(account, 'mint_receivable') && amountMicro > 0n)
  const refundedMicro = created > owed ? created - owed : 0n
  return {
    integrationId: integrationOf(lines),
    chainId,
    mintedMicro: created - refundedMicro,
    refundedMicro,
    redeemedMicro: sum(({ account, amountMicro }) => account === coins && amountMicro > 0n),
    transferredMicro: 0n,
    feesMicro: -sum(({ account }) => isKind(account, 'fees')),
  }
}

/** A transfer that was settled. */
export type Transferred = { integrationId: string; amountMicro: bigint }

/** The flows of transfers on a chain, one for each integration. */
export function flowsOfTransfers(chainId: number, effectiveAt: Date, transfers: readonly Transferred[]): Flow[] {
  const sums = new Map<string, bigint>()
  for (const { integrationId, amountMicro } of transfers)
    sums.set(integrationId, (sums.get(integrationId) ?? 0n) + amountMicro)
  return [...sums].map(([integrationId, transferredMicro]) => ({
    integrationId,
    chainId,
    effectiveAt,
    transferredMicro,
    mintedMicro: 0n,
    refundedMicro: 0n,
    redeemedMicro: 0n,
    feesMicro: 0n,
  }))
}

function isKind(account: string, kind: AccountKind): boolean {
  return account.startsWith(`${kind}:`)
}

function ownerOf(account: string): string {
  return readAccount(account)?.owner ?? NOBODY
}

const OF_INTEGRATIONS = ['mint_receivable', 'redeem_payable', 'residual', 'fees'] as const

function integrationOf(lines: Entry['lines']): string {
  const own = lines.find(({ account }) => OF_INTEGRATIONS.some((kind) => isKind(account, kind)))
  return own === undefined ? NOBODY : ownerOf(own.account)
}
