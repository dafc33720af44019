/** The verdict: every rule over the evidence. It shares no code with the service. */
import type { Evidence, Rule, Violation } from './evidence.ts'
import { answersAreAllowed, answersTellTheOrder, replaysAreEqual } from './rules/answers.ts'
import { commandsAreAudited } from './rules/audit.ts'
import { nothingIsLeftOver, redeemsArePaidOnce } from './rules/bank.ts'
import { booksTellTheOrders, momentsHold } from './rules/books.ts'
import { balancesAddUp, movementsMatchOrders, ordersNameTheirTransaction, theNodeHasOneChain } from './rules/chain.ts'
import {
  earmarksAreReleased,
  mintUsageIsRight,
  transferUsageIsRight,
  withdrawalUsageIsRight,
} from './rules/counters.ts'
import {
  acknowledgedOrdersExist,
  endsStay,
  everythingEnds,
  failuresHaveACause,
  ordersAreWhatWasAsked,
  ordersEndAsAcknowledged,
} from './rules/orders.ts'
import { booksAgree, processesBehave } from './rules/processes.ts'
import { eventsAreInOrder, eventsAreStable, everyEventArrives } from './rules/webhooks.ts'

const RULES: readonly Rule[] = [
  answersAreAllowed,
  answersTellTheOrder,
  replaysAreEqual,
  acknowledgedOrdersExist,
  ordersAreWhatWasAsked,
  ordersEndAsAcknowledged,
  endsStay,
  failuresHaveACause,
  everythingEnds,
  theNodeHasOneChain,
  movementsMatchOrders,
  ordersNameTheirTransaction,
  balancesAddUp,
  redeemsArePaidOnce,
  nothingIsLeftOver,
  booksTellTheOrders,
  momentsHold,
  mintUsageIsRight,
  transferUsageIsRight,
  withdrawalUsageIsRight,
  earmarksAreReleased,
  everyEventArrives,
  eventsAreStable,
  eventsAreInOrder,
  commandsAreAudited,
  processesBehave,
  booksAgree,
]

/** Every violation that the evidence shows; none means that the run held. */
export function judge(evidence: Evidence): Violation[] {
  return RULES.flatMap((rule) => rule(evidence))
}
