/** A request as the rules of approval see it. */
import type { Approval } from '../../operators/approval.ts'
import { COMMANDS } from '../../operators/commands.ts'

export type Asked = {
  method: string
  /** With everything that the request names, as it was sent. */
  path: string
  params: Readonly<Record<string, string | undefined>>
  body: Readonly<Record<string, unknown>>
  /** Null: the shared token. */
  operatorId: string | null
}

const NAMING = ['customerId', 'integrationId', 'address', 'name', 'chainId', 'file', 'secretsKey', 'subject']

/** What a request names, for people. */
export function targetOf({ params, body }: Asked): string {
  const named = Object.values(params).filter((value) => value !== undefined)
  const inBody = NAMING.flatMap((field) =>
    ['string', 'number'].includes(typeof body[field]) ? [String(body[field])] : [],
  )
  const text = [named.join('/'), ...inBody].filter((part) => part !== '').join(' ')
  return text.replace(/\p{C}/gu, ' ').slice(0, 300) || 'everything'
}

/** The request that an approval is about, from what was kept of it. @param body as `KeptRequest` has it */
export function askedAgain(
  { command, method, path }: Pick<Approval, 'command' | 'method' | 'path'>,
  body: unknown,
): Asked {
  const given = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {}
  return { method, path, params: paramsOf(command, path), body: given, operatorId: null }
}

/** What stands in a path where its route has a name. */
function paramsOf(command: string, path: string): Record<string, string> {
  const route = COMMANDS.find((line) => line.command === command)?.route.split(' ')[1] ?? ''
  const names = route.split('/').slice(1)
  const parts = (path.split('?')[0] ?? '').split('/').slice(-names.length)
  return Object.fromEntries(
    names.flatMap((name, index) => (name.startsWith(':') ? [[name.slice(1), decoded(parts[index] ?? '')]] : [])),
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
