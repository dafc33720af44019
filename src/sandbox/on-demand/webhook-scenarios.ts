/** What can be done to the webhooks of an order. */

export type WebhookScenario = {
  /** What arrives, in a sentence without its subject. */
  says: string
  newestFirst: boolean
  /** Between one event and the next. */
  gapMs: number
}

export const WEBHOOK_SCENARIOS = {
  duplicate: { says: 'arrive once more, each with the id that it had', newestFirst: false, gapMs: 0 },
  out_of_order: {
    says: 'arrive once more, the newest one at once and each older one two seconds later',
    newestFirst: true,
    gapMs: 2_000,
  },
} as const satisfies Record<string, WebhookScenario>

export type WebhookScenarioName = keyof typeof WEBHOOK_SCENARIOS
export const WEBHOOK_SCENARIO_NAMES = Object.keys(WEBHOOK_SCENARIOS) as WebhookScenarioName[]
