/** Requests to the operator API: the same routes as the commands, with the session's cookie. */

const API = '/operator/v1'

/** What the API refuses, in its own words. */
export class Refusal extends Error {
  readonly code: string
  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** What a person is told of something that failed. */
export function whyOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What came of a change: it is done, or it waits for another operator: one of `approvers`, where the service knows of any. */
export type Outcome<T> = { done: T } | { waiting: string; approvers: readonly string[] }

type Sending = { body?: unknown; headers?: Record<string, string>; orThrow?: boolean; withinMs?: number | undefined }

/**
 * A page that asks by itself waits no longer for an answer: a connection that was lost without a word would keep it from
 * asking again, and an old page would be called live for as long.
 */
const LONGEST_WAIT_MS = 30_000

/** Longer than the slowest command takes, as of the command line: what was sent may be under way. */
const LONGEST_COMMAND_MS = 600_000

const whenEnded = new Set<() => void>()

/** Calls `then` whenever the API no longer knows the session. */
export function onSessionEnd(then: () => void): void {
  whenEnded.add(then)
}

let person: string | undefined

/**
 * Whose pages these are: every request says so. In another tab somebody else may have signed in since, and what is clicked here under the
 * first one's name would be done in theirs.
 */
export function actFor(operatorId: string | undefined): void {
  person = operatorId
}

type Method = 'GET' | 'POST'

/** @param read what is wanted of the response @throws Refusal when the service does not answer */
async function ask<T>(
  method: Method,
  path: string,
  { body, headers = {}, withinMs }: Sending,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const json = body === undefined ? {} : { 'content-type': 'application/json' }
  const whose = person === undefined ? {} : { 'x-person': person }
  const limit = new AbortController()
  const timer = withinMs === undefined ? undefined : setTimeout(() => limit.abort(), withinMs)
  try {
    const response = await fetch(path, {
      method,
      headers: { ...json, ...whose, ...headers },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: 'error',
      signal: limit.signal,
    }).catch(() => {
      throw new Refusal('UNREACHABLE', 'The service does not answer.')
    })
    return await read(response)
  } finally {
    clearTimeout(timer)
  }
}

function jsonOf(response: Response): Promise<unknown> {
  return response.json().catch(() => {
    throw new Refusal('UNREACHABLE', `The service answered ${response.status} without JSON.`)
  })
}

/** Sends a request to this origin. @throws Refusal when the service does not answer; with `orThrow` also when it refuses */
export async function send<T>(
  method: Method,
  path: string,
  sending: Sending = {},
): Promise<{ status: number; body: T }> {
  return await ask(method, path, sending, async (response) => {
    const answer = await jsonOf(response)
    if (sending.orThrow === true && !response.ok) throw refusalOf(answer)
    return { status: response.status, body: answer as T }
  })
}

/** Reads a file, such as one of CSV, for the person whose page this is: a link would get it for whoever has signed in since. */
export async function getText(path: string): Promise<string> {
  return await ask('GET', API + path, { withinMs: LONGEST_COMMAND_MS }, async (response) =>
    response.ok ? await response.text() : (checked(response.status, await jsonOf(response)) as string),
  )
}

/**
 * Reads something.
 * @param byItself whether the page asks, and not the person: it does not keep the session alive
 */
export async function get<T>(path: string, { byItself = false } = {}): Promise<T> {
  const headers: Record<string, string> = byItself ? { 'x-by-itself': '1' } : {}
  const withinMs = byItself ? LONGEST_WAIT_MS : undefined
  const { status, body } = await send<T>('GET', API + path, { headers, withinMs })
  return checked(status, body)
}

/**
 * What a change is sent along with: the id under which it was approved, the key under which it creates once, and what the page shows of what it is
 * about: where that has changed since, it is refused.
 */
export type Along = { approval?: string | undefined; idempotencyKey?: string | undefined; seen?: string | undefined }

/** Changes something. @throws Refusal also when no answer came: what was sent may have been done */
export async function post<T>(path: string, body: unknown, along: Along = {}): Promise<Outcome<T>> {
  const { approval, idempotencyKey, seen } = along
  const headers: Record<string, string> = {
    ...(approval === undefined ? {} : { 'x-approval': approval }),
    ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    ...(seen === undefined ? {} : { 'x-seen': encodeURIComponent(seen) }),
  }
  const sending = { body, headers, withinMs: LONGEST_COMMAND_MS }
  const { status, body: answer } = await send<T & { approvalId?: string; approvers?: string[] }>(
    'POST',
    API + path,
    sending,
  ).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.code !== 'UNREACHABLE') throw error
    const then = idempotencyKey === undefined ? 'look before you send it again' : 'send it again, it is done once'
    throw new Refusal('UNREACHABLE', `No answer came. It may have been done all the same: ${then}.`)
  })
  const done = checked(status, answer)
  return status === 202 && done.approvalId !== undefined
    ? { waiting: done.approvalId, approvers: done.approvers ?? [] }
    : { done }
}

/** Path segments, each encoded. */
export function pathOf(...segments: string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')
}

function checked<T>(status: number, body: T): T {
  if (status === 401) for (const then of whenEnded) then()
  if (status >= 400) throw refusalOf(body)
  return body
}

/** What an answer refuses. */
export function refusalOf(body: unknown): Refusal {
  const { error } = (body ?? {}) as { error?: { code?: string; message?: string } }
  return new Refusal(error?.code ?? 'SERVER_ERROR', error?.message ?? 'The service refused without saying why.')
}
