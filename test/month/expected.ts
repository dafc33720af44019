/** What every account must come to, kept beside the service from what the scripted chains and the bank did. Debits are positive. */
import { SEN_IN_MICRO } from '../../src/money.ts'
import type { Settled } from './chain.ts'

export type Flow = { minted: bigint; refunded: bigint; redeemed: bigint; transferred: bigint; fees: bigint }
type Payment = { integrationId: string; amountSen: bigint }

const BANK = 'main'
const RAIL = 'bank_files'
const NO_FLOW: Flow = { minted: 0n, refunded: 0n, redeemed: 0n, transferred: 0n, fees: 0n }

export type Expected = ReturnType<typeof createExpected>

export function createExpected() {
  const accounts = new Map<string, bigint>()
  /** Customer → burnt below one sen and not paid yet; and what of it goes back with a refund. */
  const owed = new Map<string, bigint>()
  const reserved = new Map<string, bigint>()
  /** `integration chain` → what it has minted and not redeemed, and what moved today. */
  const issued = new Map<string, bigint>()
  const today = new Map<string, Flow>()

  const post = (account: string, micro: bigint) => void accounts.set(account, (accounts.get(account) ?? 0n) + micro)
  const entry = (debit: string, credit: string, micro: bigint) => {
    post(debit, micro)
    post(credit, -micro)
  }
  const flow = (integrationId: string, chainId: number, moved: Partial<Flow>) => {
    const key = `${integrationId} ${chainId}`
    const before = today.get(key) ?? NO_FLOW
    const after = Object.fromEntries(
      Object.entries(before).map(([name, value]) => [name, value + (moved[name as keyof Flow] ?? 0n)]),
    )
    today.set(key, after as Flow)
  }
  const owes = (customerId: string) => owed.get(customerId) ?? 0n
  const keeps = (customerId: string) => reserved.get(customerId) ?? 0n

  return {
    owes,
    settled(order: Settled): void {
      const { integrationId, chainId, direction, amountMicro, feeMicro, customerId } = order
      if (direction === 'MINT') {
        entry(`mint_receivable:${integrationId}`, `coins:${chainId}`, amountMicro)
        flow(integrationId, chainId, { minted: amountMicro })
      } else if (direction === 'TRANSFER') flow(integrationId, chainId, { transferred: amountMicro })
      else {
        const total = owes(customerId) - keeps(customerId) + amountMicro
        const payable = total - (total % SEN_IN_MICRO)
        const kept = amountMicro - payable
        owed.set(customerId, owes(customerId) + kept)
        post(`coins:${chainId}`, amountMicro)
        post(`redeem_payable:${integrationId}`, -payable)
        post(`residual:${integrationId}`, -kept)
        flow(integrationId, chainId, { redeemed: amountMicro, fees: feeMicro })
      }
      if (direction !== 'TRANSFER') entry(`fees_receivable:${integrationId}`, `fees:${integrationId}`, feeMicro)
    },
    /** An operator asks for a refund. @returns the part of a sen that goes back with it */
    refundAsked({
      customerId,
      amountMicro,
      amountSen,
    }: {
      customerId: string
      amountMicro: bigint
      amountSen: bigint
    }) {
      const part = amountMicro - amountSen * SEN_IN_MICRO
      const free = owes(customerId) - keeps(customerId)
      const residual = part < free ? part : free
      if (residual > 0n) reserved.set(customerId, keeps(customerId) + residual)
      return residual
    },
    /** It failed on the chain, or was carried out. */
    refundEnded(
      refund: Payment & { customerId: string; chainId: number; residualMicro: bigint },
      isDone: boolean,
    ): void {
      const { integrationId, amountSen, customerId, chainId, residualMicro } = refund
      if (residualMicro > 0n) reserved.set(customerId, keeps(customerId) - residualMicro)
      if (!isDone) return
      owed.set(customerId, owes(customerId) - residualMicro)
      post(`redeem_payable:${integrationId}`, amountSen * SEN_IN_MICRO)
      post(`residual:${integrationId}`, residualMicro)
      post(`coins:${chainId}`, -amountSen * SEN_IN_MICRO - residualMicro)
      flow(integrationId, chainId, { refunded: amountSen * SEN_IN_MICRO + residualMicro })
    },
    sent: ({ integrationId, amountSen }: Payment) =>
      entry(`redeem_payable:${integrationId}`, `payout_clearing:${RAIL}`, amountSen * SEN_IN_MICRO),
    rejected: ({ integrationId, amountSen }: Payment) =>
      entry(`payout_clearing:${RAIL}`, `redeem_payable:${integrationId}`, amountSen * SEN_IN_MICRO),
    paid: ({ amountSen }: Payment) => entry(`payout_clearing:${RAIL}`, `reserve:${BANK}`, amountSen * SEN_IN_MICRO),
    returned: ({ integrationId, amountSen }: Payment) =>
      entry(`reserve:${BANK}`, `redeem_payable:${integrationId}`, amountSen * SEN_IN_MICRO),
    byHand: ({ integrationId, amountSen }: Payment) =>
      entry(`redeem_payable:${integrationId}`, 'payout_clearing:by_hand', amountSen * SEN_IN_MICRO),
    /** What was paid by hand came back. */
    byHandReturned: ({ integrationId, amountSen }: Payment) =>
      entry('payout_clearing:by_hand', `redeem_payable:${integrationId}`, amountSen * SEN_IN_MICRO),
    /** A line that belongs to `account` at once; or to nothing until it is assigned. Credits are positive. */
    line: (amountSen: bigint, account = `unallocated:${BANK}`) =>
      entry(`reserve:${BANK}`, account, amountSen * SEN_IN_MICRO),
    assigned: (amountSen: bigint, account: string) => entry(`unallocated:${BANK}`, account, amountSen * SEN_IN_MICRO),

    /** Accounts that are not empty, in micro units. */
    balances: (): Record<string, string> =>
      Object.fromEntries(
        [...accounts].filter(([, micro]) => micro !== 0n).map(([name, micro]) => [name, String(micro)]),
      ),
    balance: (account: string) => accounts.get(account) ?? 0n,
    /** The flows of the day that ends, and what each integration has issued on each chain before and after it. */
    endDay() {
      const moved = [...new Set([...issued.keys(), ...today.keys()])].sort().map((key) => {
        const [integrationId = '', chainId = ''] = key.split(' ')
        const flows = today.get(key) ?? NO_FLOW
        const opening = issued.get(key) ?? 0n
        const closing = opening + flows.minted + flows.refunded - flows.redeemed
        issued.set(key, closing)
        return { integrationId, chainId, opening, ...flows, closing }
      })
      today.clear()
      return moved
    },
  }
}
