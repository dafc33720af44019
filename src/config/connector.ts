/** What a bank connector is called in the database: only the connector that was asked for a payment can say what became of it. */
import { createHash } from 'node:crypto'
import type { Environment } from './environment.ts'

/**
 * Another address may be another connector, which has never heard of a payment that the first one has made, and would make it again. So a connector is
 * called after its address, unless somebody says that it is the one of before.
 */
export function readConnector(settings: Environment, url: string | undefined): string {
  const name = settings.optional('PAYOUT_CONNECTOR')
  if (name === undefined) return url === undefined ? '' : nameAfter(new URL(url))
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name))
    settings.report('PAYOUT_CONNECTOR must be at most 40 lower-case letters, digits and hyphens.')
  return name
}

/** Without what only says who asks. An address may hold a secret, and the name is shown. */
function nameAfter({ origin, pathname, search }: URL): string {
  return createHash('sha256').update(`${origin}${pathname}${search}`).digest('hex').slice(0, 8)
}
