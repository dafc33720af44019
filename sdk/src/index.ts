/** Client for the Stablecoin Partner API. */
export { fromMicro, toMicro } from './amounts.ts'
export { type Answer, answerOf, type RateLimit } from './answer.ts'
export { type Client, createClient } from './client.ts'
export type { MintConfirmation } from './confirm-mint.ts'
export {
  CoinApiError,
  CoinConnectionError,
  CoinError,
  CoinMintNotConfirmedError,
  CoinWaitTimeoutError,
  type ErrorCode,
  isCoinApiError,
  type MetaOf,
  UNEXPECTED_RESPONSE,
} from './errors.ts'
export type {
  Balances,
  Configuration,
  Corporate,
  Customer,
  ErrorMetaByCode,
  EventPage,
  Health,
  KnownErrorCode,
  MintRequest,
  OrderEvent,
  OrderPage,
  RedeemRequest,
  ServerTime,
  Tokens,
  TransactionFilters,
  TransferRequest,
} from './generated/api.ts'
export type { EventFilters, EventType } from './list-events.ts'
export type { AttemptReport, ClientOptions } from './settings.ts'
export type { Timers } from './timers.ts'
export type {
  CallOptions,
  Direction,
  Order,
  OrderStatus,
  WebhookEvent,
  WriteOptions,
} from './types.ts'
export type { WaitOptions } from './wait-for-order.ts'
export { verifyWebhook, type WebhookDelivery, type WebhookRefusal, WebhookVerificationError } from './webhook.ts'
