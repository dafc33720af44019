/**
 * The life of an order as data: its states, and every move between them. The statements that make the moves are built from it
 * (moves.sql.ts), and the database refuses every other one (`guard_order` in the migrations); a test compares the two.
 */
import type { Direction, OrderPhase, OrderStatus } from '../order.ts'

export const STATES = {
  paymentPending: { status: 'payment_pending', phase: 'PAYMENT_PENDING' },
  created: { status: 'pending', phase: 'ORDER_CREATED' },
  submitted: { status: 'processing', phase: 'SUBMITTED' },
  confirming: { status: 'processing', phase: 'CONFIRMING' },
  payoutPending: { status: 'processing', phase: 'PAYOUT_PENDING' },
  completed: { status: 'completed', phase: 'COMPLETED' },
  failed: { status: 'failed', phase: 'FAILED' },
  cancelled: { status: 'cancelled', phase: 'FAILED' },
} as const satisfies Record<string, { status: OrderStatus; phase: OrderPhase }>
export type StateName = keyof typeof STATES

/** In which states an order of a direction can be at all. */
export const STATES_OF: Readonly<Record<Direction, readonly StateName[]>> = {
  MINT: ['paymentPending', 'created', 'submitted', 'confirming', 'completed', 'failed', 'cancelled'],
  REDEEM: ['created', 'submitted', 'confirming', 'payoutPending', 'completed', 'failed'],
  TRANSFER: ['created', 'submitted', 'confirming', 'completed', 'failed'],
}

export type Move = {
  from: StateName
  to: StateName
  directions: readonly Direction[]
  /** Who may make it. */
  by: readonly ('partner' | 'settler' | 'payer')[]
  /** What goes back to where the acceptance took it. */
  givesBack: readonly ('earmark' | 'usage')[]
  /** What is taken again. */
  takes: readonly 'earmark'[]
  /** What begins with it. */
  starts?: 'payout'
}

const ALL = ['MINT', 'REDEEM', 'TRANSFER'] as const
const NOTHING = { givesBack: [], takes: [] } as const

export const MOVES = {
  confirm: { from: 'paymentPending', to: 'created', directions: ['MINT'], by: ['partner'], ...NOTHING },
  cancel: { from: 'paymentPending', to: 'cancelled', directions: ['MINT'], by: ['partner'], ...NOTHING },
  submit: { from: 'created', to: 'submitted', directions: ALL, by: ['settler'], ...NOTHING },
  /** Balances at the observed block show the debit from now on. */
  mine: { from: 'submitted', to: 'confirming', directions: ALL, by: ['settler'], givesBack: ['earmark'], takes: [] },
  /** A reorganisation took the block away. */
  unmine: { from: 'confirming', to: 'submitted', directions: ALL, by: ['settler'], givesBack: [], takes: ['earmark'] },
  settle: { from: 'confirming', to: 'completed', directions: ['MINT', 'TRANSFER'], by: ['settler'], ...NOTHING },
  burn: {
    ...{ from: 'confirming', to: 'payoutPending', directions: ['REDEEM'], by: ['settler'], ...NOTHING },
    starts: 'payout',
  },
  /** By the settler where less than a sen is owed, so that there is no payout. */
  payOut: { from: 'payoutPending', to: 'completed', directions: ['REDEEM'], by: ['payer', 'settler'], ...NOTHING },
  /** Its instruction failed, alone. */
  fail: { from: 'confirming', to: 'failed', directions: ALL, by: ['settler'], givesBack: ['usage'], takes: [] },
} as const satisfies Record<string, Move>
export type MoveName = keyof typeof MOVES

/** Whether some move leads an order of this direction from one state to the other. */
export function mayMove(direction: Direction, from: StateName, to: StateName): boolean {
  return Object.values<Move>(MOVES).some(
    (move) => move.from === from && move.to === to && move.directions.includes(direction),
  )
}
