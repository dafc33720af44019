/** What payers count. */
import { Counter, type Registry } from 'prom-client'
import type { AskMetrics } from './ask.ts'
import type { BurnMetrics } from './burns.ts'

/** Everything from zero on: an increase is only seen of what was shown before it. */
export function createPayoutMetrics(registry: Registry): { payer: AskMetrics; burns: BurnMetrics } {
  const [labelNames, registers] = [['result'], [registry]]
  const answers = new Counter({
    name: 'payout_answers_total',
    help: 'What rails answered when they were asked about payouts',
    labelNames,
    registers,
  })
  for (const result of ['accepted', 'refused', 'unknown', 'paid', 'returned']) answers.inc({ result }, 0)
  const burns = new Counter({
    name: 'payout_burns_total',
    help: 'Payouts by whether the chain shows the burn that they are for, as often as a payer has looked',
    labelNames,
    registers,
  })
  for (const result of ['seen', 'denied', 'unknown']) burns.inc({ result }, 0)
  return {
    payer: { answered: (result) => answers.inc({ result }) },
    burns: { looked: (result, payouts) => burns.inc({ result }, payouts) },
  }
}
