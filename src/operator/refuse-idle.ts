/** A command that would change nothing waits for nobody: it says so at once, before somebody else is asked to approve it. */
import { whoActs } from '../operators/acting.ts'
import { OperatorError } from './errors.ts'

/**
 * To be called before the approval of a request is used. What is not only tried goes on: whoever runs a command once more, as after a lost
 * answer, gets the same answer as before.
 * @param wouldChange asked while a request is only tried; where it throws that a node is away, the request waits, as one may be back by then
 * @throws OperatorError CONFLICT with the sentence
 */
export async function refuseIdle(wouldChange: () => Promise<boolean> | boolean, sentence: string): Promise<void> {
  const { isRehearsal = false } = whoActs()
  if (isRehearsal && !(await wouldChange())) throw new OperatorError('CONFLICT', sentence)
}
