/**
 * The life of an order as data: its states, and every move between them. The statements that make the moves are built
 * from it (moves.sql.ts, signed.sql.ts, and settlement's tables for the moves of a whole batch), and the database refuses every other
 * move (`guard_order`, `guard_signed_orders` and `guard_batch` in the migrations); a test compares the two.
 */
import type { BatchStatus, Direction, OrderPhase, OrderStatus } from '../order.ts'

type State = {
  /** The status in the order's own row. */
  stored: OrderStatus
  /** The status that partners see: a stored `pending` is `processing` while the order has a line in `signed_orders`. */
  status: OrderStatus
  /** The status of its batch while that shows how far the order is. */
  batch: BatchStatus | null
  phase: OrderPhase
}

/**
 * An order's row, its line in `signed_orders` while it is signed and not decided, and the row of the batch that the line
 * names. A burnt redeem waits for its payout as `processing`.
 */
export const STATES = {
  paymentPending: { stored: 'payment_pending', status: 'payment_pending', batch: null, phase: 'PAYMENT_PENDING' },
  created: { stored: 'pending', status: 'pending', batch: null, phase: 'ORDER_CREATED' },
  submitted: { stored: 'pending', status: 'processing', batch: 'signed', phase: 'SUBMITTED' },
  /** The order's batch can never execute, or it was called burnt and is not, so that it awaits another one. */
  requeued: { stored: 'pending', status: 'processing', batch: null, phase: 'SUBMITTED' },
  confirming: { stored: 'pending', status: 'processing', batch: 'mined', phase: 'CONFIRMING' },
  payoutPending: { stored: 'processing', status: 'processing', batch: 'final', phase: 'PAYOUT_PENDING' },
  completed: { stored: 'completed', status: 'completed', batch: null, phase: 'COMPLETED' },
  failed: { stored: 'failed', status: 'failed', batch: null, phase: 'FAILED' },
  /** By an operator, when it can never settle; by a settler, when its chain is gone for good. */
  rejected: { stored: 'failed', status: 'failed', batch: null, phase: 'FAILED' },
  cancelled: { stored: 'cancelled', status: 'cancelled', batch: null, phase: 'FAILED' },
} as const satisfies Record<string, State>
export type StateName = keyof typeof STATES

/** The states in which an order of each direction can be. */
export const STATES_OF: Readonly<Record<Direction, readonly StateName[]>> = {
  MINT: [
    'paymentPending',
    'created',
    'submitted',
    'requeued',
    'confirming',
    'completed',
    'failed',
    'rejected',
    'cancelled',
  ],
  REDEEM: ['created', 'submitted', 'requeued', 'confirming', 'payoutPending', 'completed', 'failed', 'rejected'],
  TRANSFER: ['created', 'submitted', 'requeued', 'confirming', 'completed', 'failed', 'rejected'],
}

export type Move = {
  from: StateName
  to: StateName
  directions: readonly Direction[]
  /** Who may make the move. */
  by: readonly ('partner' | 'settler' | 'payer' | 'operator')[]
  /**
   * The row that changes: the order's own; its line in `signed_orders`; or its batch's, for all orders of the batch at once. Of an order's own row there
   * are two or three versions in its life: as accepted, as confirmed or burnt, and as ended.
   */
  writes: 'order' | 'line' | 'batch'
  /** The status of the batch's row by the time the order's row or line is written. */
  batch?: BatchStatus
  /** Set when the move leads only into a foreign batch. */
  foreign?: true
  /** What the move gives back of what the acceptance took. */
  givesBack: readonly ('earmark' | 'usage')[]
  /** What the move takes: earmarks again, or the usage of a mint, which its acceptance did not take while it was not confirmed. */
  takes: readonly ('earmark' | 'usage')[]
  /** What the move starts. */
  starts?: 'payout'
}

const ALL = ['MINT', 'REDEEM', 'TRANSFER'] as const
const NOTHING = { givesBack: [], takes: [] } as const
const PARTNER = { by: ['partner'], writes: 'order', directions: ['MINT'], ...NOTHING } as const
const OWN_ROW = { by: ['settler'], writes: 'order' } as const
const OWN_LINE = { by: ['settler'], writes: 'line' } as const
const ADOPTED = { batch: 'final', foreign: true, givesBack: ['earmark'], takes: [] } as const
const BATCH_ROW = { by: ['settler'], writes: 'batch' } as const

export const MOVES = {
  confirm: { from: 'paymentPending', to: 'created', ...PARTNER, takes: ['usage'] },
  cancel: { from: 'paymentPending', to: 'cancelled', ...PARTNER },
  submit: { from: 'created', to: 'submitted', directions: ALL, ...OWN_LINE, batch: 'signed', ...NOTHING },
  /** Its batch can never execute. Earmarks and usage stay taken. */
  requeue: { from: 'submitted', to: 'requeued', directions: ALL, ...OWN_LINE, batch: 'abandoned', ...NOTHING },
  resubmit: { from: 'requeued', to: 'submitted', directions: ALL, ...OWN_LINE, batch: 'signed', ...NOTHING },
  /** A final foreign batch has settled it; it ends in the same transaction. */
  adopt: { from: 'created', to: 'confirming', directions: ALL, ...OWN_LINE, ...ADOPTED },
  /** The same for a mint of which this database does not know that it was paid. */
  adoptUnpaid: { from: 'paymentPending', to: 'confirming', directions: ['MINT'], ...OWN_LINE, ...ADOPTED },
  readopt: { from: 'requeued', to: 'confirming', directions: ALL, ...OWN_LINE, ...ADOPTED },
  /** Balances at the observed block show the debit from now on. */
  mine: { from: 'submitted', to: 'confirming', directions: ALL, ...BATCH_ROW, givesBack: ['earmark'], takes: [] },
  /** A reorganisation took the block away. */
  unmine: { from: 'confirming', to: 'submitted', directions: ALL, ...BATCH_ROW, givesBack: [], takes: ['earmark'] },
  settle: {
    from: 'confirming',
    to: 'completed',
    directions: ['MINT', 'TRANSFER'],
    ...OWN_ROW,
    batch: 'final',
    ...NOTHING,
  },
  burn: {
    from: 'confirming',
    to: 'payoutPending',
    directions: ['REDEEM'],
    ...OWN_ROW,
    batch: 'final',
    ...NOTHING,
    starts: 'payout',
  },
  /** Made by the settler where less than one sen is owed, so that there is no payout. */
  payOut: {
    from: 'payoutPending',
    to: 'completed',
    directions: ['REDEEM'],
    by: ['payer', 'settler'],
    writes: 'order',
    batch: 'final',
    ...NOTHING,
  },
  /** It was never burnt, as the chain says: its payout, which no rail was asked for, goes. The usage stays taken. */
  unburn: {
    from: 'payoutPending',
    to: 'requeued',
    directions: ['REDEEM'],
    by: ['operator'],
    writes: 'order',
    batch: 'final',
    givesBack: [],
    takes: ['earmark'],
  },
  /** Its payout came back and its coin was minted back; or nobody was paid, and the chain has lost its burn. Either way no value has moved. */
  refund: {
    from: 'payoutPending',
    to: 'failed',
    directions: ['REDEEM'],
    by: ['settler', 'operator'],
    writes: 'order',
    batch: 'final',
    givesBack: ['usage'],
    takes: [],
  },
  /** It was never signed, so that no value can have moved. */
  reject: {
    from: 'created',
    to: 'rejected',
    directions: ALL,
    by: ['operator', 'settler'],
    writes: 'order',
    givesBack: ['earmark', 'usage'],
    takes: [],
  },
  /** None of the batches that it was in can be executed any more: another one is final under the highest of their ids; or its chain is gone for good. */
  rejectAbandoned: {
    from: 'requeued',
    to: 'rejected',
    directions: ALL,
    by: ['operator', 'settler'],
    writes: 'order',
    batch: 'final',
    givesBack: ['earmark', 'usage'],
    takes: [],
  },
  /** Its own instruction failed. */
  fail: {
    from: 'confirming',
    to: 'failed',
    directions: ALL,
    ...OWN_ROW,
    batch: 'final',
    givesBack: ['usage'],
    takes: [],
  },
} as const satisfies Record<string, Move>
