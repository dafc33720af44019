/** Generated from the OpenAPI document by `npm run generate`. Do not edit. */

export type Order = {
  /** `true` on every successful answer. */
  ok: true
  /** Chosen by the integration; unique within it; names the order for its whole life. 8 to 100 characters from letters, digits, ".", "_", "-" and ":". */
  referenceId: string
  /** Exactly these six; no new values in v1. */
  status: "payment_pending" | "pending" | "processing" | "completed" | "failed" | "cancelled"
  /** Detail for display and support: PAYMENT_PENDING, ORDER_CREATED, SUBMITTED, CONFIRMING, PAYOUT_PENDING, PAYOUT_HELD, PAYOUT_REJECTED, PAYOUT_RETURNED, COMPLETED, REFUNDED, FAILED. New values may appear. */
  phase: string
  /** What kind of order it is. */
  direction: "MINT" | "REDEEM" | "TRANSFER"
  /** One of `chains[].chainId` of the configuration. */
  chainId: number
  /** Display name of the chain. */
  network: string
  /** Contract of the coin on that chain. Checksummed (EIP-55). */
  tokenAddress: string
  /** Mint: receives the coin. Redeem: is burned from. Transfer: the recipient. Checksummed (EIP-55). */
  walletAddress: string
  /** How much, in ringgit and in coin. */
  amounts: {
    /** MYR amount; null for a transfer. Decimal string, not zero-padded. */
    myr: string | null
    /** Coin amount; for a mint equal to `myr`. Decimal string, not zero-padded. */
    coin: string
    /** Payment-rail charge recorded on the order; does not reduce the coin issued. Decimal string, not zero-padded. */
    feeMyr: string
    /** Coin amount x 10^6, as in the Transfer event on chain. Integer string. */
    amountRaw: string
    /** Always 6. */
    decimals: 6
  }
  /** Where it is on chain. */
  blockchain: {
    /** Null until a chain transaction exists. Not final by itself; follow `status`. */
    txHash: string | null
    /** Null until the transaction is in a block. Integer string. */
    blockNumber: string | null
  }
  /** Its times. */
  timestamps: {
    /** When the order was accepted. ISO 8601 in UTC with milliseconds. */
    createdAt: string
    /** When it last changed, or its payout did, as when the bank says that it has paid a completed redeem; null on a new order. ISO 8601 in UTC with milliseconds. */
    updatedAt: string | null
  }
}

export type OrderPage = {
  /** `true` on every successful answer. */
  ok: true
  /** Full Order objects, newest first. */
  transactions: Array<Order>
  /** For the query parameter `cursor`; null on the final page. */
  nextCursor: string | null
}

export type MintRequest = {
  /** Chosen by the integration; unique within it; names the order for its whole life. 8 to 100 characters from letters, digits, ".", "_", "-" and ":". */
  referenceId: string
  /** MYR received. Positive decimal string with at most 12 digits before the point and 6 decimal places; never a number. */
  amountMyr: string
  /** Receives the coin. Checksummed (EIP-55). */
  walletAddress: string
  /** A customer linked to the integration. */
  customerId: string
  /** Defaults to `defaultChainId` of the configuration, or to the chain of the order that the referenceId names already. */
  chainId?: number | undefined
  /** Without it false. True only once the MYR has settled irreversibly. Needs mint:execute. */
  fiatConfirmed?: boolean | undefined
}

export type RedeemRequest = {
  /** Chosen by the integration; unique within it; names the order for its whole life. 8 to 100 characters from letters, digits, ".", "_", "-" and ":". */
  referenceId: string
  /** Coin to burn. Positive decimal string with at most 12 digits before the point and 6 decimal places; never a number. */
  amountCoin: string
  /** The coin is burned from here. Checksummed (EIP-55). */
  walletAddress: string
  /** A customer linked to the integration. */
  customerId: string
  /** Your payout reference, echoed in reconciliation. Up to 255 characters, no control characters. */
  bankReference?: string | undefined
  /** Defaults to `defaultChainId` of the configuration, or to the chain of the order that the referenceId names already. */
  chainId?: number | undefined
}

export type TransferRequest = {
  /** Chosen by the integration; unique within it; names the order for its whole life. 8 to 100 characters from letters, digits, ".", "_", "-" and ":". */
  referenceId: string
  /** Coin to move. Positive decimal string with at most 12 digits before the point and 6 decimal places; never a number. */
  amountCoin: string
  /** The recipient. Checksummed, or all lower or all upper case. */
  walletAddress: string
  /** A customer linked to the integration. */
  customerId: string
  /** Defaults to `defaultChainId` of the configuration, or to the chain of the order that the referenceId names already. */
  chainId?: number | undefined
}

export type Balances = {
  /** `true` on every successful answer. */
  ok: true
  /** The wallet asked about. Checksummed (EIP-55). */
  walletAddress: string
  /** One entry per configured chain, or the one that was asked for. */
  balances: Array<{
    /** One of `chains[].chainId` of the configuration. */
    chainId: number
    /** Display name of the chain. */
    network: string
    /** Contract of the coin. Checksummed (EIP-55). */
    tokenAddress: string
    /** The coin's symbol. */
    symbol: string
    /** Always 6. */
    decimals: 6
    /** Balance x 10^decimals. Integer string. */
    balanceRaw: string
    /** Balance. Decimal string, not zero-padded. */
    balance: string
  }>
}

export type Customer = {
  /** `true` on every successful answer. */
  ok: true
  /** As in the path. */
  customerId: string
  /** A person, or a company. */
  accountType: "RETAIL" | "ENTERPRISE"
  /** How far the party is verified. */
  verification: {
    /** Only `VERIFIED` parties may order anything. */
    status: "UNVERIFIED" | "PENDING" | "VERIFIED" | "REJECTED" | "SUSPENDED"
    /** Tier label such as TIER_2; new labels may appear. */
    level: string
    /** Null unless the status is VERIFIED. ISO 8601 in UTC with milliseconds. */
    verifiedAt: string | null
  }
  /** Where the customer is resident. */
  residency: {
    /** ISO 3166-1 alpha-2. */
    countryCode: string
    /** A non-resident is limited to RM 100,000 per transaction on mint and redeem. */
    isResident: boolean
  }
  /** What redeems are held to. */
  limits: {
    /** Currency of the limit values. */
    currency: string
    /** Redeems allowed in a UTC calendar month. Decimal string, not zero-padded. */
    monthlyWithdrawalCap: string
    /** Used this month. Decimal string, not zero-padded. */
    monthlyWithdrawalUsed: string
    /** Left this month. Decimal string, not zero-padded. */
    monthlyWithdrawalRemaining: string
  }
  /** What the party may do now. */
  capabilities: {
    /** Whether it may mint now. */
    canMint: boolean
    /** Whether it may redeem now. */
    canRedeem: boolean
    /** Whether it may transfer now. */
    canTransfer: boolean
  }
  /** When the party was linked. ISO 8601 in UTC with milliseconds. */
  createdAt: string
}

export type Corporate = {
  /** `true` on every successful answer. */
  ok: true
  /** As in the path. */
  corporateId: string
  /** The company's registered name. */
  companyName: string
  /** How far the party is verified. */
  verification: {
    /** Only `VERIFIED` parties may order anything. */
    status: "UNVERIFIED" | "PENDING" | "VERIFIED" | "REJECTED" | "SUSPENDED"
    /** Stage label such as COMPLETE; new labels may appear. */
    stage: string
    /** Null unless the status is VERIFIED. ISO 8601 in UTC with milliseconds. */
    verifiedAt: string | null
  }
  /** Where the company is registered. */
  jurisdiction: {
    /** ISO 3166-1 alpha-2. */
    countryCode: string
  }
  /** What the company does. */
  industry: string
  /** What the party may do now. */
  capabilities: {
    /** Whether it may mint now. */
    canMint: boolean
    /** Whether it may redeem now. */
    canRedeem: boolean
    /** Whether it may pay salaries now. */
    canPayroll: boolean
  }
  /** When the party was linked. ISO 8601 in UTC with milliseconds. */
  createdAt: string
}

export type Health = {
  /** `true` on every successful answer. */
  ok: true
  /** The name of this service. */
  service: string
  /** The version in the path. */
  apiVersion: "v1"
  /** `healthy` when up. */
  status: string
  /** Now. ISO 8601 in UTC with milliseconds. */
  timestamp: string
}

export type ServerTime = {
  /** `true` on every successful answer. */
  ok: true
  /** Now. ISO 8601 in UTC with milliseconds. */
  serverTime: string
  /** Of `serverTime`; always `UTC`. */
  timezone: "UTC"
}

export type Configuration = {
  /** `true` on every successful answer. */
  ok: true
  /** The version in the path. */
  apiVersion: "v1"
  /** Used when a request omits chainId. */
  defaultChainId: number
  /** Always 6. */
  decimals: 6
  /** One entry per supported chain. */
  chains: Array<{
    /** Short chain key. */
    key: string
    /** Display name of the chain; `network` of an order. */
    name: string
    /** One of `chains[].chainId` of the configuration. */
    chainId: number
    /** The chain id as CAIP-2 writes it. */
    caip2: string
    /** What gas is paid in. */
    nativeCurrency: {
      /** Its name. */
      name: string
      /** Its symbol. */
      symbol: string
      /** Its decimal places on chain. */
      decimals: number
    }
    /** The chain's block explorer. */
    explorerBaseUrl: string
    /** Prefix: append an address. */
    explorerAddressUrl: string
    /** Prefix: append a transaction hash. */
    explorerTxUrl: string
    /** Confirmation count used for completion. */
    confirmations: number
    /** The coin on this chain. */
    coin: {
      /** Contract of the coin. Checksummed (EIP-55). */
      address: string
      /** Always 6. */
      decimals: 6
      /** The coin's name, as its contract has it. */
      name: string
      /** The coin's symbol, as its contract has it. */
      symbol: string
    }
  }>
  /** Path templates, with parameters in braces. */
  endpoints: {
    /** Path template of mints. */
    mints: string
    /** Path template of redeems. */
    redeems: string
    /** Path template of transfers. */
    transfers: string
    /** Path template of balances. */
    balances: string
    /** Path template of orders of any direction. */
    transactions: string
  }
}

export type Tokens = {
  /** `true` on every successful answer. */
  ok: true
  /** One entry per supported chain. */
  tokens: Array<{
    /** The coin's symbol, as its contract has it. */
    symbol: string
    /** The coin's name, as its contract has it. */
    name: string
    /** One of `chains[].chainId` of the configuration. */
    chainId: number
    /** Display name of the chain. */
    network: string
    /** Contract of the coin. Checksummed (EIP-55). */
    tokenAddress: string
    /** Always 6. */
    decimals: 6
    /** The contract's page in the chain's block explorer. */
    explorerUrl: string
  }>
}

export type OrderEvent = {
  /** Unique per event: deduplicate on it. */
  id: string
  /** What happened. */
  type: "mint.pending" | "mint.completed" | "mint.failed" | "redeem.pending" | "redeem.completed" | "redeem.failed" | "transfer.completed" | "transfer.failed"
  /** When it happened. ISO 8601 in UTC with milliseconds. */
  createdAt: string
  /** A part of the order: read the order for the rest. */
  data: {
    /** Chosen by the integration; unique within it; names the order for its whole life. 8 to 100 characters from letters, digits, ".", "_", "-" and ":". */
    referenceId: string
    /** The status that is told; the order may be further by now. */
    status: "payment_pending" | "pending" | "processing" | "completed" | "failed" | "cancelled"
    /** What kind of order it is. */
    direction: "MINT" | "REDEEM" | "TRANSFER"
    /** As on the order. */
    amounts: {
      /** MYR amount; null for a transfer. Decimal string, not zero-padded. */
      myr: string | null
      /** Coin amount. Decimal string, not zero-padded. */
      coin: string
      /** Always 6. */
      decimals: 6
    }
    /** As on the order. */
    blockchain: {
      /** Null until a chain transaction exists. */
      txHash: string | null
      /** Block of the transaction. Integer string. */
      blockNumber: string | null
    }
  }
}

export type EventPage = {
  /** `true` on every successful answer. */
  ok: true
  /** Oldest first; the bodies that webhooks carry. */
  events: Array<OrderEvent>
  /** Continues after this page, even when there is nothing more yet. */
  nextCursor: string
  /** Whether there is more to ask for at once. With `types` or `since` a page may have no event all the same. */
  hasMore: boolean
}

export type BadRequestMeta = {
  /** The field or parameter that is missing or invalid. */
  field: string
}

export type InvalidChainIdMeta = {
  /** The one that was sent. */
  chainId: number
  /** Those of the configuration. */
  supportedChainIds: Array<number>
}

export type InsufficientBalanceMeta = {
  /** The wallet to be debited. Checksummed (EIP-55). */
  walletAddress: string
  /** The chain of the order. */
  chainId: number
  /** Amount requested. Decimal string, not zero-padded. */
  requestedCoin: string
  /** What the wallet can spend: its balance less what accepted orders will take. Decimal string, not zero-padded. */
  walletBalanceCoin: string
}

export type MonthlyWithdrawalLimitExceededMeta = {
  /** Cap of this UTC month. Decimal string, not zero-padded. */
  monthlyLimit: string
  /** Already committed this month. Decimal string, not zero-padded. */
  monthlyCommitted: string
  /** Amount requested. Decimal string, not zero-padded. */
  requestedAmount: string
}

export type TransferPerTxCapExceededMeta = {
  /** Amount requested. Decimal string, not zero-padded. */
  requestedCoin: string
  /** Already committed today. Decimal string, not zero-padded. */
  committedTodayCoin: string
  /** Cap per transfer. Decimal string, not zero-padded. */
  perTxCapCoin: string
  /** Cap per UTC day. Decimal string, not zero-padded. */
  dailyCapCoin: string
}

export type TransferDailyCapExceededMeta = {
  /** Amount requested. Decimal string, not zero-padded. */
  requestedCoin: string
  /** Already committed today. Decimal string, not zero-padded. */
  committedTodayCoin: string
  /** Cap per transfer. Decimal string, not zero-padded. */
  perTxCapCoin: string
  /** Cap per UTC day. Decimal string, not zero-padded. */
  dailyCapCoin: string
}

export type PolicyRejectedMeta = {
  /** Which check; new reasons may appear. */
  reason: string
  /** With `mint_day_cap`: what the key may mint in a UTC day. Decimal string, not zero-padded. */
  capMyr?: string | undefined
  /** With `mint_day_cap`: what it has confirmed today, without what failed. Decimal string, not zero-padded. */
  committedMyr?: string | undefined
}

export type ServerErrorMeta = {
  /** Quote it to support. */
  correlationId: string
}

/** Filters of the list of orders. */
export type TransactionFilters = {
  /** Only this direction. */
  direction?: "MINT" | "REDEEM" | "TRANSFER" | undefined
  /** Only this status. */
  status?: "payment_pending" | "pending" | "processing" | "completed" | "failed" | "cancelled" | undefined
  /** Orders created after this instant: ISO 8601 with its zone, or a date alone, which is its first instant in UTC. */
  createdAfter?: string | undefined
  /** Orders created before this instant: ISO 8601 with its zone, or a date alone, which is its first instant in UTC. */
  createdBefore?: string | undefined
  /** Page size, from 1 to 100; without it 50. */
  limit?: number | undefined
  /** `nextCursor` of the previous page; opaque. */
  cursor?: string | undefined
}

/** Parameters of the events. */
export type EventQuery = {
  /** Only these types, with commas: `mint.pending`, `mint.completed`, `mint.failed`, `redeem.pending`, `redeem.completed`, `redeem.failed`, `transfer.completed`, `transfer.failed`. */
  types?: string | undefined
  /** Only events of this instant and later: ISO 8601 with its zone, or a date alone, which is its first instant in UTC. */
  since?: string | undefined
  /** Page size, from 1 to 100; without it 50. */
  limit?: number | undefined
  /** `nextCursor` of the page before; opaque. Keep it: it goes on where you stopped, however long ago. */
  cursor?: string | undefined
}

/** Error codes of this version of the API; new ones may appear. */
export type KnownErrorCode =
  | "AMOUNT_ABOVE_REDEEM_CEILING"
  | "AMOUNT_BELOW_FLOOR"
  | "AMOUNT_NEGATIVE_OR_ZERO"
  | "BAD_REQUEST"
  | "CUSTOMER_NOT_VERIFIED"
  | "FOREIGNER_LIMIT_EXCEEDED"
  | "HEADERS_TOO_LARGE"
  | "IDEMPOTENCY_CONFLICT"
  | "IDEMPOTENCY_KEY_REQUIRED"
  | "INSUFFICIENT_BALANCE"
  | "INVALID_AMOUNT"
  | "INVALID_CHAIN_ID"
  | "INVALID_JSON"
  | "INVALID_REFERENCE_ID"
  | "INVALID_WALLET_ADDRESS"
  | "IP_NOT_ALLOWED"
  | "MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED"
  | "NOT_FOUND"
  | "ORDER_NOT_CANCELLABLE"
  | "PAYLOAD_TOO_LARGE"
  | "POLICY_REJECTED"
  | "RATE_LIMITED"
  | "RECIPIENT_NOT_PERMITTED"
  | "REQUEST_TIMEOUT"
  | "SCOPE_DENIED"
  | "SERVER_ERROR"
  | "SERVICE_UNAVAILABLE"
  | "SETTLEMENT_FAILED"
  | "TRANSFER_DAILY_CAP_EXCEEDED"
  | "TRANSFER_PER_TX_CAP_EXCEEDED"
  | "UNAUTHORIZED"

/** What `meta` holds, for the codes that have it. */
export type ErrorMetaByCode = {
  BAD_REQUEST: BadRequestMeta | undefined
  INSUFFICIENT_BALANCE: InsufficientBalanceMeta
  INVALID_CHAIN_ID: InvalidChainIdMeta
  MONTHLY_WITHDRAWAL_LIMIT_EXCEEDED: MonthlyWithdrawalLimitExceededMeta
  POLICY_REJECTED: PolicyRejectedMeta
  SERVER_ERROR: ServerErrorMeta
  TRANSFER_DAILY_CAP_EXCEEDED: TransferDailyCapExceededMeta
  TRANSFER_PER_TX_CAP_EXCEEDED: TransferPerTxCapExceededMeta
}
