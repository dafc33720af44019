/** What is known when a decision is taken: one snapshot of the database, and what the chain answered. */
import type { Order } from '../order.ts'
import type { WalletOwner } from '../ports.ts'
import type { FirstStatus } from './first-answer.ts'

/**
 * What the call's Idempotency-Key was used for before. `firstStatus` is the first status of the order that it created,
 * if any.
 */
export type UsedKey = { fingerprint: string; orderId: bigint; firstStatus: FirstStatus | undefined }

/** The customer, linked to the calling integration. */
export type CustomerFacts = {
  customerId: string
  verificationStatus: string
  isResident: boolean
  monthlyCapMicro: bigint
  canMint: boolean
  canRedeem: boolean
  canTransfer: boolean
  hasBankAccount: boolean
}

/** `now` is the database's clock; to the millisecond, it dates the order, its answer, its event and its usage. */
export type BaseFacts = { now: Date; usedKey: UsedKey | undefined; existing: Order | undefined }
/** `isUnfenced`: what the database has lost may have submitted the order, and that may still be executed. */
export type CancelFacts = BaseFacts & { isUnfenced: boolean }
export type CommonFacts = BaseFacts & {
  customer: CustomerFacts | undefined
  /** The most that the chain can ever settle in one such order; undefined while it is not known, or not lately. */
  chainLimitMicro: bigint | undefined
  /**
   * Whether a batch that this database did not make has settled this reference, on whatever chain: with all these details
   * and for no other order, or otherwise.
   */
  settledBefore: 'no' | 'same' | 'otherwise'
  /** The chain that the reference belongs to already: that of its order, or one on which such a batch has settled it. */
  ownChainId: number | undefined
}

export type MintFacts = CommonFacts & {
  /** Whether the deny list names the wallet. */
  walletDenied: boolean
  /** Confirmed by the key on the UTC day of `now`, without failed mints. */
  committedTodayMicro: bigint
}

/** What is earmarked in the wallet that coin would leave, and the block at which its balance must be read. */
export type DebitFacts = {
  /** Undefined while the settler has never seen the chain. */
  observedBlock: bigint | undefined
  earmarkedMicro: bigint
  epoch: bigint
}

export type RedeemFacts = CommonFacts & {
  walletLinked: boolean
  /** Whether the deny list names the wallet. */
  walletDenied: boolean
  /** Redeemed in the UTC month of `now`, without failed redeems. */
  withdrawnThisMonthMicro: bigint
  debit: DebitFacts
}

export type TransferFacts = CommonFacts & {
  /** The customer's primary wallet. */
  sourceAddress: string | undefined
  sourceDenied: boolean
  recipientDenied: boolean
  /** Transferred by the key on the UTC day of `now`, without failed transfers. */
  committedTodayMicro: bigint
  debit: DebitFacts
}

/** What is known about a POST that creates an order, by its direction. */
export type CreateFacts = { MINT: MintFacts; REDEEM: RedeemFacts; TRANSFER: TransferFacts }

/** What to ask the chain. Both wallets are screened, where there are two. */
export type ChainQuestions = {
  chainId: number
  /** Undefined for a mint. */
  debit:
    | {
        address: string
        /** The customer for whom it would be debited. */
        owner: WalletOwner
        blockNumber: bigint
      }
    | undefined
  /** Undefined for a redeem. */
  recipientAddress: string | undefined
}

/** What the chain answered; undefined where it could not be asked. */
export type ChainAnswers = {
  debitLinked: boolean | undefined
  debitFrozen: boolean | undefined
  debitSanctioned: boolean | undefined
  balanceMicro: bigint | undefined
  recipientFrozen: boolean | undefined
  recipientSanctioned: boolean | undefined
}
