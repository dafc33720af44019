/** What can be done to the payout of a redeem. */

export const PAYOUT_SCENARIOS = {
  refunded: {
    says: 'has its coin minted back to the wallet, where the bank has refused its payout, given it back or not carried it out: it becomes `failed`, or `completed` / `REFUNDED` if it was `completed`',
  },
} as const satisfies Record<string, { says: string }>

export type PayoutScenarioName = keyof typeof PAYOUT_SCENARIOS
export const PAYOUT_SCENARIO_NAMES = Object.keys(PAYOUT_SCENARIOS) as PayoutScenarioName[]
