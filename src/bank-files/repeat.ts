/** Tells a new file from one that came before. */
import { catchRefusal, quoted, type Reading, refuse } from './refusal.ts'

type Known = { definition: string; contentHash: string; messageId: string }

/**
 * Compares a file with the applied ones that share its content hash or its message id. Banks number each kind of
 * message separately, so ids are compared within one definition only.
 * @returns `new`, or `same_file` when it is to be left alone; refused when different content comes under a known
 * message id: the bank has then said two things, and a person must decide
 */
export function recogniseRepeat(known: readonly Known[], file: Known): Reading<'new' | 'same_file'> {
  return catchRefusal(() => {
    if (known.some(({ contentHash }) => contentHash === file.contentHash)) return 'same_file'
    if (known.some((one) => one.messageId === file.messageId && one.definition === file.definition)) {
      refuse('repeated', `The message id ${quoted(file.messageId)} came before with different content.`)
    }
    return 'new'
  })
}
