/** One round of the payer, for who waits for its answers. */
import { createQuestions, type QuestionsDeps } from '../../src/payouts/questions.ts'

/** Asks the rail about due payouts, and ends when every question is answered. @returns how many it asked about, at most 16 */
export async function payDue(deps: QuestionsDeps): Promise<number> {
  const questions = createQuestions(deps)
  const { begun } = await questions.begin()
  await questions.ended()
  return begun
}
