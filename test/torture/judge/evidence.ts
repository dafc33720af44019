/**
 * What the judge is given: plain data from four sources that do not know each other (the clients' notes of their
 * requests and answers, the chain, the bank's book, the receivers' post) and what the service itself says. Amounts are
 * bigint of 10^-6 units, addresses are in lower case, instants are milliseconds of one clock.
 */

export type Direction = 'MINT' | 'REDEEM' | 'TRANSFER'

/** What a client meant by a reference when it first used it. */
export type Intent = {
  reference: string
  integrationId: string
  /** The API key that every attempt used. */
  keyId: string
  customerId: string
  direction: Direction
  amountMicro: bigint
  /** Credited by a mint or transfer, debited by a redeem. */
  wallet: string
  /** The wallet that coin leaves; null for a mint. */
  debited: string | null
  /** For a mint: whether it was confirmed at once. */
  confirmed: boolean
}

/** Why a request was made; decides which answers are right. */
export type Purpose =
  | 'create'
  /** The same details under another Idempotency-Key. */
  | 'same reference, other key'
  /** Other details under another Idempotency-Key, after the order was acknowledged. */
  | 'same reference, other details'
  /** Another body under a key whose first request was acknowledged. */
  | 'same key, other body'
  | 'confirm'
  | 'cancel'
  | 'look'

/** One HTTP request, and its answer if there was one. */
export type Attempt = {
  reference: string
  purpose: Purpose
  /** The Idempotency-Key; '' for a read. */
  key: string
  startedMs: number
  endedMs: number
  /** 0: no answer came. */
  status: number
  /** `error.code` of a refusal. */
  code: string
  text: string
  isReplay: boolean
}

/** One page entry of GET /v1/transactions. */
export type ListedOrder = {
  integrationId: string
  reference: string
  direction: Direction
  status: string
  phase: string
  wallet: string
  amountMicro: bigint
  txHash: string | null
  blockNumber: bigint | null
  createdAt: string
}

/** A Transfer event of the coin in a canonical block. */
export type Movement = { txHash: string; blockNumber: bigint; from: string; to: string; amountMicro: bigint }

export type ChainEvidence = {
  movements: readonly Movement[]
  supplyMicro: bigint
  /** The balance of every address that any movement or intent names. */
  balances: ReadonlyMap<string, bigint>
  /** Where the node's blocks are not one chain: the movements are no evidence then. */
  breaks: readonly string[]
}

/** A payment that the bank carried out. */
export type Payment = { payoutId: string; reference: string; amountSen: bigint; account: string }

export type BankEvidence = {
  payments: readonly Payment[]
  /** Payout ids that came again with other details. */
  conflicts: readonly string[]
}

/** One POST that a webhook receiver got. */
export type Hook = {
  integrationId: string
  isSigned: boolean
  eventId: string
  type: string
  reference: string
  status: string
  amountCoin: string
  txHash: string | null
  /** When it happened, by its body. */
  happenedAt: string
  body: string
}

/** What the service's own tables count, read only through judge/tables.ts. */
export type Tables = {
  orderCount: number
  /** Of keys with a cap only. */
  mintUsage: readonly { keyId: string; day: string; committedMicro: bigint }[]
  transferUsage: readonly { keyId: string; day: string; committedMicro: bigint }[]
  withdrawalUsage: readonly { customerId: string; month: string; committedMicro: bigint }[]
  earmarks: readonly { wallet: string; earmarkedMicro: bigint }[]
}

/** What the books say of an account; those of coin and of payments on their way are each one for all chains and rails. */
export type BookedAccount = { account: string; balanceMicro: bigint }

/** How often somebody looked while the run went on, and what was wrong at such a moment. */
export type Moments = { looks: number; wrong: readonly string[] }

/** A command of an operator, under the name that the audit log has for it. */
export type Command = {
  action: string
  /** What it was about; '' where only its answer would have said that. */
  target: string
  /** `unknown`: no answer came, or one that does not say whether it was carried out. */
  outcome: 'done' | 'refused' | 'unknown'
}

export type Customer = { customerId: string; bankAccount: string; monthlyCapMicro: bigint | null }
export type ApiKey = { keyId: string; transferDayCapMicro: bigint | null; mintDayCapMicro: bigint | null }

/** What the processes did of their own accord. */
export type ProcessEvidence = {
  /** Unrequested ends of processes that had begun to serve. */
  deaths: readonly string[]
  /** Log lines of level fatal. */
  fatals: readonly string[]
  /** Exit codes of the last, orderly stop. */
  lastExits: readonly { name: string; code: number | null }[]
}

export type Evidence = {
  customers: readonly Customer[]
  keys: readonly ApiKey[]
  intents: readonly Intent[]
  attempts: readonly Attempt[]
  orders: readonly ListedOrder[]
  chain: ChainEvidence
  bank: BankEvidence
  hooks: readonly Hook[]
  tables: Tables
  books: readonly BookedAccount[]
  moments: Moments
  commands: readonly Command[]
  /** The whole audit log. */
  audit: readonly { action: string; target: string }[]
  processes: ProcessEvidence
  /** Wallets that were frozen at any time. */
  frozenWallets: ReadonlySet<string>
  /** What was still open when the time to settle was over; empty when everything came to its end. */
  unsettled: readonly string[]
  /** `ok` and the differences that the service's own reconciliation reports. */
  reconciliation: { ok: boolean; differences: readonly string[] }
}

/** One thing that must not have happened. */
export type Violation = { rule: string; subject: string; message: string }

export type Rule = (evidence: Evidence) => Violation[]
