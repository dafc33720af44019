/** The client: one function for each operation of the API. */
import { confirmMint, type MintConfirmation } from './confirm-mint.ts'
import type {
  Balances,
  Configuration,
  Corporate,
  Customer,
  EventPage,
  Health,
  MintRequest,
  OrderPage,
  RedeemRequest,
  ServerTime,
  Tokens,
  TransactionFilters,
  TransferRequest,
} from './generated/api.ts'
import { listAll, orderPages } from './list-all.ts'
import { type EventFilters, eventPages, eventQueryOf } from './list-events.ts'
import { pathOf, queryOf } from './path.ts'
import { type ClientOptions, settingsOf } from './settings.ts'
import { createTransport } from './transport.ts'
import type { CallOptions, Direction, Order, WriteOptions } from './types.ts'
import { type WaitOptions, waitForOrder } from './wait-for-order.ts'

export type Client = ReturnType<typeof createClient>

const ROUTE_OF: Readonly<Record<Direction, string>> = { MINT: 'mints', REDEEM: 'redeems', TRANSFER: 'transfers' }

/**
 * Makes a client for one environment and key. It holds no connection and needs no closing.
 *
 * Every call rejects with `CoinApiError` when the API refuses, `CoinConnectionError` when no answer came after all
 * retries, the signal's reason when it was aborted, and `TypeError` for arguments that can never be right.
 * @throws TypeError for options that cannot be right
 */
export function createClient(options: ClientOptions) {
  const settings = settingsOf(options)
  const { get, post } = createTransport(settings)
  // Each is `async`: what is wrong with an argument is a rejection like every other, for callers who catch no other.
  const readOrder = (route: string) => async (referenceId: string, call?: CallOptions) =>
    get<Order>(pathOf(route, referenceId), call)
  const createMint = (mint: MintRequest, call?: WriteOptions) => post<Order>('/mints', mint, call)
  const listPage = (filters: TransactionFilters = {}, call?: CallOptions) =>
    get<OrderPage>(`/transactions${queryOf(filters)}`, call)
  const walkOrders = (filters: TransactionFilters, call: CallOptions | undefined) =>
    orderPages((page) => listPage(page, call), filters)
  const listEvents = async (filters: EventFilters = {}, call?: CallOptions) =>
    get<EventPage>(`/events${queryOf(eventQueryOf(filters))}`, call)

  return Object.freeze({
    /** Liveness. Sends no key. */
    health: (call?: CallOptions) => get<Health>('/health', { ...call, anonymous: true }),
    /** The server's clock, for checking your own before verifying webhooks. Sends no key. */
    time: (call?: CallOptions) => get<ServerTime>('/system/time', { ...call, anonymous: true }),
    /** Chains and tokens: read it at startup and keep it. */
    config: (call?: CallOptions) => get<Configuration>('/config', call),
    /** The coin's contract on each chain. */
    tokens: (call?: CallOptions) => get<Tokens>('/tokens', call),

    mints: Object.freeze({
      /**
       * Records a mint; with `fiatConfirmed: true` it is also submitted. An existing referenceId gives the existing order,
       * also when its details are others: compare them.
       */
      create: createMint,
      /**
       * Submits a recorded mint once its ringgit has settled irreversibly, and resolves only with a mint that was
       * submitted. `CoinMintNotConfirmedError` says that it was cancelled, or that the recorded details differ.
       */
      confirm: (mint: MintConfirmation, call?: WriteOptions): Promise<Order> => confirmMint(createMint, mint, call),
      get: readOrder('mints'),
      /** Cancels a mint that was not submitted; otherwise rejects with 409 `ORDER_NOT_CANCELLABLE`. */
      cancel: async (referenceId: string, call?: WriteOptions) =>
        post<Order>(`${pathOf('mints', referenceId)}/cancel`, {}, call),
    }),
    redeems: Object.freeze({
      /** Burns coin and pays ringgit to the customer's bank account. */
      create: (redeem: RedeemRequest, call?: WriteOptions) => post<Order>('/redeems', redeem, call),
      get: readOrder('redeems'),
    }),
    transfers: Object.freeze({
      /**
       * Moves coin from the customer's wallet to a recipient. An existing referenceId gives the existing order, also when
       * its details are others, and moves nothing: compare them.
       */
      create: (transfer: TransferRequest, call?: WriteOptions) => post<Order>('/transfers', transfer, call),
      get: readOrder('transfers'),
    }),
    transactions: Object.freeze({
      /** One page, newest first; `nextCursor` is null on the last. */
      list: listPage,
      /** Every order, newest first, with pages of 100 read as they are needed: `for await (const order of …)`. */
      all: (filters: TransactionFilters = {}, call?: CallOptions): AsyncGenerator<Order, void, undefined> =>
        listAll(walkOrders(filters, call)),
      /**
       * The same page by page, for a walk that is long: keep `page.nextCursor`, and give it as `cursor` to go on where the walk broke off.
       */
      pages: (filters: TransactionFilters = {}, call?: CallOptions): AsyncGenerator<OrderPage, void, undefined> =>
        walkOrders(filters, call),
      /** An order of any direction. */
      get: readOrder('transactions'),
    }),
    events: Object.freeze({
      /** One page, oldest first; `nextCursor` is always there, and goes on after it however much later. */
      list: listEvents,
      /**
       * Every page, of 100, up to the present end: `for await (const page of …)`. Keep `page.nextCursor` in the transaction in
       * which you deal with `page.events`, and give it as `cursor` to go on there.
       */
      pages: (filters: EventFilters = {}, call?: CallOptions): AsyncGenerator<EventPage, void, undefined> =>
        eventPages((page) => listEvents(page, call), filters),
    }),
    balances: Object.freeze({
      /** Balances on every configured chain, or on one. */
      get: async (walletAddress: string, of: { chainId?: number | undefined } = {}, call?: CallOptions) =>
        get<Balances>(`${pathOf('balances', walletAddress)}${queryOf({ chainId: of.chainId })}`, call),
    }),
    customers: Object.freeze({
      /** Verification, limits and capabilities; needs a signed data processing agreement. */
      get: async (customerId: string, call?: CallOptions) => get<Customer>(pathOf('customers', customerId), call),
    }),
    corporates: Object.freeze({
      /** Verification and capabilities; needs a signed data processing agreement. */
      get: async (corporateId: string, call?: CallOptions) => get<Corporate>(pathOf('corporates', corporateId), call),
    }),

    /** Waits until an order is completed, failed or cancelled, or until `until` says so; see `WaitOptions`. */
    waitForOrder: (referenceId: string, wait: WaitOptions = {}): Promise<Order> => {
      const read = readOrder(wait.direction === undefined ? 'transactions' : ROUTE_OF[wait.direction])
      const { timers, timeoutMs: attemptTimeoutMs } = settings
      return waitForOrder({ timers, read: (call) => read(referenceId, call), attemptTimeoutMs }, referenceId, wait)
    },
  })
}
