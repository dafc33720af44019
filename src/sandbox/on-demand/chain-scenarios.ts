/** What can be done to the sandbox's own chain, for everybody who uses it. */

/** The sandbox's own chain, as far as something is done to it on purpose. */
export type ChainControl = {
  /** Makes no block for so long. */
  holdBlocks(ms: number): void
  /** Takes the next block that holds a transaction back once it was seen, and lets the transaction be mined again. */
  takeBackNextBlock(): void
  /** Lets the node answer nothing for so long. */
  silence(ms: number): void
}

export type ChainScenario = {
  /** What the chain does, in a sentence without its subject. */
  says: string
  /** The most seconds that it takes; undefined: it takes none. */
  mostSeconds?: number
  does: (control: ChainControl, ms: number) => void
}

export const CHAIN_SCENARIOS = {
  slow_block: {
    says: 'makes no block for `seconds` (at most 120, by default 15): orders stay where they are',
    mostSeconds: 120,
    does: (control, ms) => control.holdBlocks(ms),
  },
  reorganisation: {
    says: 'takes the next block with a transaction back after a second: its orders lose their block, and get another one',
    does: (control) => control.takeBackNextBlock(),
  },
  unreadable: {
    says: 'cannot be read for `seconds` (at most 60, by default 15): a request waits 5 seconds for it, and is then refused, balances with `SERVICE_UNAVAILABLE`, redeems and transfers with `SETTLEMENT_FAILED`',
    mostSeconds: 60,
    does: (control, ms) => control.silence(ms),
  },
} as const satisfies Record<string, ChainScenario>

export type ChainScenarioName = keyof typeof CHAIN_SCENARIOS
export const CHAIN_SCENARIO_NAMES = Object.keys(CHAIN_SCENARIOS) as ChainScenarioName[]
export const DEFAULT_CHAIN_SECONDS = 15
export const MOST_CHAIN_SECONDS = 120
