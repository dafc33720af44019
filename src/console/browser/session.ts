/** Who is signed in, and what they may run. Pages show nothing else; the API decides all the same. */
import { actFor, refusalOf, send } from './api.ts'

export type Session = {
  operatorId: string | null
  name: string
  role: string
  environment: 'sandbox' | 'live'
  fourEyes: boolean
  expiresAt: string
  /** Whether they may make a token for commands, having none of their own. */
  commandToken: boolean
  commands: { command: string; waits: string | null; creates: boolean; decides: boolean }[]
}

let current: Session | undefined
let waitsOf = new Map<string, string | null>()

/** Asks who is signed in. @returns undefined when nobody is @throws Refusal when the service cannot say */
export async function readSession(): Promise<Session | undefined> {
  const { status, body } = await send<Session>('GET', '/console/session')
  if (status >= 400 && status !== 401) throw refusalOf(body)
  return status === 401 ? undefined : body
}

/** From now on pages are drawn for this person. Not while it is asked who that is: those that are still there would be drawn for nobody. */
export function drawFor(session: Session | undefined): void {
  current = session
  actFor(session && personOf(session))
  waitsOf = new Map(session?.commands.map(({ command, waits }) => [command, waits]))
}

/** Who that is, as the service compares it: of the shared token, which belongs to nobody, a word that is no id. */
export function personOf({ operatorId }: Session): string {
  return operatorId ?? 'nobody'
}

/** The person who is signed in. @throws Error where nobody is: pages are drawn only for somebody */
export function session(): Session {
  if (current === undefined) throw new Error('nobody is signed in')
  return current
}

/** Whether the person may run a command of the table, such as `order hold`. */
export function may(command: string): boolean {
  return waitsOf.has(command)
}

/** When this command waits for another operator: always, for some of its fields, or (undefined) never. */
export function waits(command: string): string | undefined {
  return waitsOf.get(command) ?? undefined
}

/** Whether this command creates something, and takes an idempotency key. */
export function creates(command: string): boolean {
  return current?.commands.some((each) => each.command === command && each.creates) === true
}

/** Whether the person may decide about what others ask for of this command. */
export function decides(command: string): boolean {
  return current?.commands.some((each) => each.command === command && each.decides) === true
}

/** How somebody can sign in here. */
export type Ways = { provider: string | null; tokens: boolean }

/** Asks for it. @throws Refusal when the service does not answer */
export async function readWays(): Promise<Ways> {
  return (await send<Ways>('GET', '/console/ways', { orThrow: true })).body
}

/** Signs in with a token, or with the code that a sandbox has printed. */
export async function signIn(shown: { token: string } | { code: string }): Promise<void> {
  await send('POST', '/console/session', { body: shown, orThrow: true })
}

export async function signOut(): Promise<void> {
  await send('POST', '/console/session/end', { body: {}, orThrow: true })
}
