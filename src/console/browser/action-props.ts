/** What a button that changes something is given: what its dialog says and asks for, and what is sent. */
import type { Outcome } from './api.ts'
import type { Field } from './field.ts'
import type { Fields } from './sending.ts'
import type { View } from './view.ts'

export type ActionProps = {
  /** As in the table of commands: who may not run it does not see the button. */
  command: string
  label: string
  /** What it will do, in a sentence or two. */
  says: View
  /** What it is done to, as people call it. */
  target: string
  path: string
  fields?: readonly Field[]
  /** Sent besides the fields. */
  body?: Fields
  /** Makes the body of what was filled in; without it, the fields by their names. */
  bodyOf?: (filled: Record<string, string>) => Fields
  /** Whether it takes something away or moves money. */
  danger?: boolean
  /** Whether it asks why, for the audit log. What is dangerous always does. */
  reason?: boolean
  /** Shown when it is done: a secret that is shown once, say. */
  result?: (answer: Fields) => View
  /** Of an answer, why what was wanted did not come about, although the command was run; undefined where it did. */
  refused?: (answer: Fields) => string | undefined
  /** What is done step by step: of an answer, what the next step is sent besides; undefined after the last. */
  next?: (answer: Fields) => Fields | undefined
  /** What the steps came to; without it, what the last one answered. */
  sum?: (answers: readonly Fields[]) => Fields
  /** Called when it is done, or waits. */
  onDone?: (outcome: Outcome<Fields>) => unknown
  /** Called when things may no longer be as this page shows them: it is refused for that, or its answer was lost. */
  onConflict?: () => unknown
  /** What the page shows of what it is about, by which the service sees whether that has changed since. */
  seen?: string
  /** Run under this approval. */
  approval?: string
}
