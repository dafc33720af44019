/** Requests to the operator API. */
import { CliError } from './errors.ts'
import { exchange, NoAnswerError } from './exchange.ts'
import { type CliSettings, readSettings } from './settings.ts'

/** A result, without the envelope's `ok`. */
export type Result = Record<string, unknown>
export type Fields = Record<string, unknown>

/** Longer than the slowest command takes: linking a wallet waits for confirmations. */
const TIMEOUT_MS = 600_000

/** What a command prints that waits for somebody else. */
export class WaitingError extends Error {
  override readonly name = 'WaitingError'
  readonly approvalId: string
  readonly approvers: readonly string[] | undefined

  /** @param approvers who may approve it now; undefined where the service, of an earlier release, does not say */
  constructor(approvalId: string, approvers: readonly string[] | undefined) {
    const named = approvers?.length === 0 ? ', and nobody else may approve it now' : ` (${approvers?.join(', ')})`
    const whom = approvers === undefined ? '' : named
    super(
      `This waits for another operator${whom}: "coin approval approve ${approvalId}". Then run the same command again with --approval ${approvalId}. Until then nothing is done.`,
    )
    this.approvalId = approvalId
    this.approvers = approvers
  }
}

/** What a command line says beside what it asks for. */
export type Along = {
  /** The approval under which it runs. */
  approval: string | undefined
  idempotencyKey: string | undefined
  /** Why it changes something. */
  reason: string | undefined
}

let along: Partial<Along> = {}

/** Sends this along with each request of the command line that now runs. */
export function sendAlong(given: Along): void {
  along = given
}

/** Sends a GET. Fields become query parameters; undefined ones are left out. @throws CliError */
export async function get(path: string, fields: Fields = {}): Promise<Result> {
  if (along.reason !== undefined) throw new CliError('USAGE', 'This command changes nothing: leave --reason out.')
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, String(value))
  return await request('GET', query.size === 0 ? path : `${path}?${query}`)
}

/** Sends a POST with the fields as its body; undefined ones are left out. @throws CliError */
export function post(path: string, fields: Fields = {}): Promise<Result> {
  return request(
    'POST',
    path,
    JSON.stringify(along.reason === undefined ? fields : { ...fields, reason: along.reason }),
  )
}

/** The segments as a path, each encoded. */
export function pathOf(...segments: string[]): string {
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')
}

async function request(method: string, path: string, body?: string): Promise<Result> {
  const settings = readSettings(process.env)
  const { status, text, isPartners, isCalledJson = false } = await send(settings, method, path, body)
  if (isPartners) throw notTheApi(settings)
  const answer = objectIn(text)
  // A proxy has answered for a service that did not, or not in time; or has lost the end of what the service said.
  const isLost = status >= 500 || (isCalledJson && status >= 200 && status < 300)
  if (answer === undefined && method === 'POST' && isLost) throw noAnswer(settings, method, undefined)
  if (answer === undefined) throw notTheApi(settings)
  if (status === 202 && typeof answer.approvalId === 'string')
    throw new WaitingError(answer.approvalId, Array.isArray(answer.approvers) ? answer.approvers : undefined)
  if (status >= 200 && status < 300) return answer
  const { code, message } = (answer.error ?? {}) as { code?: unknown; message?: unknown }
  if (typeof code !== 'string' || typeof message !== 'string') throw notTheApi(settings)
  throw new CliError(code, message)
}

async function send(settings: CliSettings, method: string, path: string, body?: string) {
  const { url, token } = settings
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (along.approval !== undefined) headers['x-approval'] = along.approval
  if (along.idempotencyKey !== undefined && method === 'POST') headers['idempotency-key'] = along.idempotencyKey
  try {
    return await exchange({ url: `${url}/operator/v1${path}`, method, headers, body }, TIMEOUT_MS)
  } catch (error) {
    if (!(error instanceof NoAnswerError)) throw error
    throw error.mayHaveArrived ? noAnswer(settings, method, error) : unreachable(settings)
  }
}

function unreachable({ url }: CliSettings): CliError {
  return new CliError(
    'UNREACHABLE',
    `The operator API at ${new URL(url).origin} does not answer: start the service with "npm start", or set OPERATOR_URL to where it runs.`,
  )
}

/** What was sent may have been carried out: to be told to start the service and try again would have it done twice. */
function noAnswer(settings: CliSettings, method: string, cause: unknown): CliError {
  if (method !== 'POST') return unreachable(settings)
  return new CliError(
    'NO_ANSWER',
    'No answer came, so this may or may not have been done. What only stops something is safe to run again: do so now, and where this process is gone, at another one with the role operator (OPERATOR_URL). Otherwise look first: "coin audit list" has everything that was done, and of what takes several steps that it was begun ("….begun"). A command that creates something is safe to run again only with the same --idempotency-key.',
    { cause },
  )
}

function objectIn(text: string): Result | undefined {
  try {
    const answer: unknown = JSON.parse(text)
    return typeof answer === 'object' && answer !== null ? (answer as Result) : undefined
  } catch {
    return undefined
  }
}

function notTheApi({ url }: CliSettings): CliError {
  return new CliError(
    'UNREACHABLE',
    `${new URL(url).origin} did not answer like an operator API: set OPERATOR_URL to the operator port, not the partner port.`,
  )
}
