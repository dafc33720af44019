/** OPERATOR_TOKEN is two things: a person's own token for commands, and the service's, which lets the first people in. */

const PERSONS = /^coin_(?:operator|command)_/

/** Why a service must not start with this token; undefined where nothing speaks against it. */
export function whyNotOfService(token: string | undefined): string | undefined {
  if (token === undefined || !PERSONS.test(token)) return undefined
  return "OPERATOR_TOKEN is a person's own token, which commands read: start the service without it (env -u OPERATOR_TOKEN), or with a token of its own."
}
