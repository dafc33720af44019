/** A person of the operations team, and the token that is theirs alone. */
import { randomBytes } from 'node:crypto'
import { makeSecret } from '../secrets/token-secret.ts'
import type { OperatorRole } from './roles.ts'

export type Operator = {
  /** `opr_` and 16 hex digits. */
  operatorId: string
  /** Unique for ever, letter case aside: the audit log calls the person by it. */
  name: string
  role: OperatorRole
  createdAt: Date
  /** When their token was first used. */
  signedInAt: Date | null
  disabledAt: Date | null
  /** Null for a person with a token; otherwise who they are at the identity provider. */
  identity: Identity | null
  /** Made by break-glass. */
  isEmergency: boolean
  /** Who they are, if they were known before break-glass; null otherwise. */
  emergencyOf: string | null
  /** Who else has seen their token, because they asked for it; null once the person has replaced it. */
  tokenSeenBy: string | null
}

/** A person at an identity provider. Names and addresses change hands there, these two together do not. */
export type Identity = { issuer: string; subject: string }

/** The names under which the audit log tells of OPERATOR_TOKEN and of the service itself. */
export const SHARED_TOKEN_NAME = 'operator'
const RESERVED_NAMES = [SHARED_TOKEN_NAME, 'service']

const NAME = /^[^\p{C}\s](?:[^\p{C}]{0,98}[^\p{C}\s])?$/u
const TOKEN = /^coin_operator_([0-9a-f]{16})_([0-9A-Za-z]{43})$/

/**
 * A name as it is kept: with one blank where there are several, and characters in the form in which equal ones look equal (NFKC), so that nobody
 * goes by a name that is shown like another's. Letters of other alphabets that look alike stay two names.
 */
export function tidyName(name: string): string {
  return name.normalize('NFKC').replace(/\p{Z}+/gu, ' ')
}

/** Whether a person can go by this name. */
export function isOperatorName(name: string): boolean {
  return NAME.test(name) && !RESERVED_NAMES.includes(name.toLowerCase())
}

/** The person, however many ways in they have. */
export function personOf({ operatorId, emergencyOf }: Pick<Operator, 'operatorId' | 'emergencyOf'>): string {
  return emergencyOf ?? operatorId
}

/** A new operator id. */
export function newOperatorId(): string {
  return `opr_${randomBytes(8).toString('hex')}`
}

/**
 * Makes a token `coin_operator_<16 hex>_<43 base62>` for an operator.
 * @returns it, to be shown once, and the SHA-256 of its secret in hex, to be stored
 */
export function makeToken(operatorId: string): { token: string; secretSha256: string } {
  const { secret, secretSha256 } = makeSecret()
  return { token: `coin_operator_${operatorId.slice(4)}_${secret}`, secretSha256 }
}

/** Whose token this says it is, and its secret; undefined when it has not the form of a personal token. */
export function parseToken(text: string): { operatorId: string; secret: string } | undefined {
  const [, id, secret] = TOKEN.exec(text) ?? []
  return id === undefined || secret === undefined ? undefined : { operatorId: `opr_${id}`, secret }
}

/** Why nobody is let in under a name that somebody has, or had. */
export function sayTaken(name: string): string {
  return `Somebody is or was called ${name}: choose another name.`
}

/** How many admins must be left, and must have signed in before OPERATOR_TOKEN ends in live. */
export const LEAST_ADMINS = 2

/** Which ways in there are. */
export type WaysIn = {
  /** Whether people come from the identity provider, and tokens are refused but for those that break-glass made. */
  refusesTokens: boolean
  /** The issuer that the identity provider is configured by; undefined without one. */
  provider: string | undefined
}

/** Whether there is a way in for an operator who is not disabled. */
export function isLetIn({ identity, isEmergency }: Operator, { refusesTokens, provider }: WaysIn): boolean {
  return identity === null ? !refusesTokens || isEmergency : identity.issuer === provider
}

/**
 * Why an operator must not be disabled; undefined when nothing speaks against it. Two admins always remain who are let in, and two who
 * have signed in once there were two: otherwise nobody could decide about the other's requests. They are two people: somebody with two
 * ways in counts once, and either of the ways may go.
 */
export function whyNotDisabled(
  operator: Operator,
  { admins, ...ways }: WaysIn & { admins: readonly Operator[] },
): string | undefined {
  if (operator.role !== 'admin' || operator.disabledAt !== null) return undefined
  const letIn = admins.filter((admin) => isLetIn(admin, ways))
  const staysEnough = (among: readonly Operator[]) => {
    const left = countPeople(among.filter(({ operatorId }) => operatorId !== operator.operatorId))
    return left >= LEAST_ADMINS || left === countPeople(among)
  }
  if (staysEnough(letIn) && staysEnough(letIn.filter(({ signedInAt }) => signedInAt !== null))) return undefined
  const how = ways.refusesTokens
    ? 'have another admin sign in through the identity provider first'
    : 'add another with "coin operator add --name … --role admin", and let them sign in with "coin whoami", first'
  return `${operator.name} is one of the last two admins: ${how}.`
}

const countPeople = (operators: readonly Operator[]) => new Set(operators.map(personOf)).size
