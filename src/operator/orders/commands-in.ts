/** Commands in what is said of an order, as they can be pasted (pure). */

/** Those that name no order are about the one of which it is said; each takes the reason. */
const BARE = /"coin order (release|reject|make-good)( --unpaid)?"/g

/** @param order named integrationId/referenceId */
export function withOrder(sentence: string, order: string): string {
  return sentence.replaceAll(BARE, (_, verb: string, how = '') => `"coin order ${verb} ${order}${how} --reason …"`)
}
