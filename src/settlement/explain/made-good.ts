/** How what the chain has lost, or executed after all, can be made good, and why it cannot. */
import type { NotEnded } from '../../payouts/lost-burn.sql.ts'

export type MadeGood =
  /** The order of the house that mints it again. */
  { remint: string } | 'booked' | 'noted' | 'even'
export type NotMadeGood =
  | ('not_lost' | 'is_remint' | 'is_good' | 'unexplained' | 'under_way' | 'unsure' | 'unfenced' | 'unpaid' | 'unproven')
  /** What was to mint it again had failed, and was executed after all. */
  | 'reminted'
  /** Of what minted coin back after all: its payout is, or may be, paid. */
  | NotEnded
