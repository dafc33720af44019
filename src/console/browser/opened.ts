/** Which dialog is open, and what waits until its answer has come and was read. */
import type { ActionProps } from './action-props.ts'
import { useState } from './view.ts'

/** The action whose dialog is open, and who draws it: not the button, because what it did may take the button away. */
let opened: ActionProps | undefined
let draw: (() => void) | undefined

/** Undefined: nothing is under way, and no answer is shown that may be shown this once. */
let afterAnswer: (() => void)[] | undefined

/** Opens the dialog of an action; undefined closes it. */
export function show(props: ActionProps | undefined): void {
  opened = props
  draw?.()
  answered()
}

/** What is open, each time under another number, for the one place that draws it. */
export function useOpened(): { opened: ActionProps | undefined; count: number } {
  const [count, set] = useState(0)
  draw = () => set(count + 1)
  return { opened, count }
}

/**
 * Forgets the dialog that is open, where nobody is signed in any more, or somebody else is: it names things, and has them filled in, that
 * the next person at this screen may not see.
 */
export function forgetDialog(): void {
  opened = undefined
  afterAnswer = undefined
}

/** Something is sent, whose answer is to be read before anything else happens. */
export function sending(): void {
  afterAnswer = []
}

/** What waited for an answer happens now. */
export function answered(): void {
  const waiting = afterAnswer ?? []
  afterAnswer = undefined
  for (const then of waiting) then()
}

/** Calls `then` now, or once the answer is closed that somebody reads: with a new token of their own, the session ends. */
export function onceRead(then: () => void): void {
  if (afterAnswer === undefined) then()
  else afterAnswer.push(then)
}
