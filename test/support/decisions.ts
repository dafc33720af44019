/** A world in which every decision accepts; tests spoil one thing in it at a time. */
import type { Decision } from '../../src/orders/accept/decision.ts'
import type {
  ChainAnswers,
  CommonFacts,
  CustomerFacts,
  RedeemFacts,
  TransferFacts,
} from '../../src/orders/accept/facts.ts'
import type { Order } from '../../src/orders/order.ts'

export const ONE = 1_000_000n
export const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
export const RECIPIENT = '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359'
export const COIN = '0x5FbDB2315678afecb367f032d93F642f64180aa3'
export const SETTLEMENT = '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512'
export const CHAIN = {
  chainId: 7,
  network: 'Test',
  tokenAddress: RECIPIENT,
  contracts: [COIN, SETTLEMENT],
  hasSanctionsOracle: false,
}
export const NOW = new Date('2026-02-28T23:59:59.999Z')

export const policy = {
  mintFloorMicro: ONE,
  mintCeilingMicro: 1_000_000_000n * ONE,
  mintDayCapMicro: null as bigint | null,
  capKeyId: null,
  redeemCeilingMicro: 1_000_000n * ONE,
  nonResidentLimitMicro: 100_000n * ONE,
  monthlyWithdrawalCapMicro: 500_000n * ONE,
  transferTxCapMicro: 50_000n * ONE,
  transferDayCapMicro: 250_000n * ONE,
  feeMicro: { MINT: 250_000n, REDEEM: 500_000n },
}
export const caller = {
  integrationId: 'int_1',
  keyId: '0123456789abcdef',
  scopes: new Set<string>(),
  transferTxCapMicro: null as bigint | null,
  transferDayCapMicro: null as bigint | null,
  mintDayCapMicro: null as bigint | null,
  capKeyId: null,
}
export const terms = { caller, policy }

export const customer: CustomerFacts = {
  customerId: 'cus_1',
  verificationStatus: 'VERIFIED',
  isResident: true,
  monthlyCapMicro: 500_000n * ONE,
  canMint: true,
  canRedeem: true,
  canTransfer: true,
  hasBankAccount: true,
}
export const common: CommonFacts = {
  now: NOW,
  usedKey: undefined,
  existing: undefined,
  customer,
  chainLimitMicro: 10n ** 18n,
  settledBefore: 'no',
  ownChainId: undefined,
}
export const debit = { observedBlock: 9n as bigint | undefined, earmarkedMicro: 0n, epoch: 3n }
export const mintFacts = { ...common, walletDenied: false, committedTodayMicro: 0n }
export const redeemFacts: RedeemFacts = {
  ...common,
  walletLinked: true,
  walletDenied: false,
  withdrawnThisMonthMicro: 0n,
  debit,
}
export const transferFacts: TransferFacts = {
  ...common,
  sourceAddress: WALLET,
  sourceDenied: false,
  recipientDenied: false,
  committedTodayMicro: 0n,
  debit,
}
export const answers: ChainAnswers = {
  debitLinked: true,
  debitFrozen: false,
  debitSanctioned: false,
  balanceMicro: 10n ** 18n,
  recipientFrozen: false,
  recipientSanctioned: false,
}

export const mintRequest = {
  referenceId: 'reference-1',
  amountMicro: 10n * ONE,
  walletAddress: WALLET,
  customerId: 'cus_1',
  chain: CHAIN,
  fiatConfirmed: false,
}
export const redeemRequest = { ...mintRequest, bankReference: null as string | null }
export const transferRequest = { ...mintRequest, walletAddress: RECIPIENT }

export function existingOrder(details: Partial<Order>): Order {
  return {
    orderId: 1n,
    integrationId: 'int_1',
    referenceId: 'reference-1',
    direction: 'MINT',
    status: 'payment_pending',
    chainId: 7,
    network: 'Test',
    tokenAddress: RECIPIENT,
    walletAddress: WALLET,
    debitAddress: null,
    customerId: 'cus_1',
    keyId: '0123456789abcdef',
    amountMicro: 10n * ONE,
    feeMicro: 0n,
    bankReference: null,
    batchId: null,
    batchIndex: null,
    batchStatus: null,
    txHash: null,
    blockNumber: null,
    failureReason: null,
    createdAt: NOW,
    updatedAt: null,
    ...details,
  }
}

/** A decision in short: the code of a refusal (with its reason), else its kind. */
export function outcome(decision: Decision): string {
  if (decision.kind !== 'refuse') return decision.kind
  const reason = decision.refusal.meta?.reason
  return reason === undefined ? decision.refusal.code : `${decision.refusal.code} ${reason}`
}
