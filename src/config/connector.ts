/** What a bank connector is called in the database: only the connector that was asked for a payment can say what became of it. */
import { createHash } from 'node:crypto'
import type { Environment } from './environment.ts'

/**
 * Another address may be another connector, which has never heard of a payment that the first one has made, and would make it again. So a connector is
 * called after its address, unless somebody says that it is the one of before. They say it of one address: whoever changes that the next time, perhaps
 * to another bank's, would forget what was said of the last one.
 */
export function readConnector(settings: Environment, url: string | undefined): string {
  const here = url === undefined ? undefined : nameAfter(new URL(url))
  const told = settings.optional('PAYOUT_CONNECTOR')
  if (told === undefined) return here ?? ''
  const [, name = '', at] = /^([a-z0-9][a-z0-9-]{0,39})@([0-9a-f]{8})$/.exec(told) ?? []
  if (at === undefined || (here !== undefined && at !== here)) {
    settings.report(
      `PAYOUT_CONNECTOR must be NAME@${here ?? 'ADDRESS'}: the connector NAME is at PAYOUT_URL now, as somebody knows. Where that is another connector, leave PAYOUT_CONNECTOR out.`,
    )
  }
  return name
}

/** Without what only says who asks. An address may hold a secret, and the name is shown. */
function nameAfter({ origin, pathname, search }: URL): string {
  return createHash('sha256').update(`${origin}${pathname}${search}`).digest('hex').slice(0, 8)
}
