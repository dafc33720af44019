/** Sends what a dialog was filled in with: in steps where there are several, and under one key what creates something. */
import { type Outcome, post } from './api.ts'
import { creates } from './session.ts'

export type Fields = Record<string, unknown>

/** What was sent last, and the key under which it is created. */
export type Sent = { text: string; key: string }

/** The key under which this is created: the one of before for the same, whose answer may have been lost. */
export function keyFor(command: string, body: Fields, before: Sent | undefined): Sent | undefined {
  if (!creates(command)) return undefined
  const text = JSON.stringify(body)
  return before?.text === text ? before : { text, key: crypto.randomUUID() }
}

type Sending = {
  path: string
  approval?: string | undefined
  seen?: string | undefined
  next?: ((answer: Fields) => Fields | undefined) | undefined
  sum?: ((answers: readonly Fields[]) => Fields) | undefined
}

/** Sends it, step by step where there are several. */
export async function sent(
  { path, approval, seen, next, sum }: Sending,
  body: Fields,
  idempotencyKey: string | undefined,
): Promise<Outcome<Fields>> {
  const answers: Fields[] = []
  let more: Fields | undefined = {}
  while (more !== undefined) {
    const outcome: Outcome<Fields> = await post<Fields>(path, { ...body, ...more }, { approval, idempotencyKey, seen })
    if (!('done' in outcome)) return outcome
    answers.push(outcome.done)
    more = next?.(outcome.done)
  }
  return { done: sum?.(answers) ?? answers.at(-1) ?? {} }
}
