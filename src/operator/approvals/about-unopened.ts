/** The payment files that would be withdrawn because no key opens them. */
import type { Queryable } from '../../db/database.ts'
import { saySen } from '../../money.ts'
import type { OperatorDeps } from '../deps.ts'
import { lockUnopenedHere, saidInstead } from '../in-folder.ts'
import { sayCount } from '../say-count.ts'

const MOST_NAMED = 20

export async function describeUnopened(
  db: Queryable,
  deps: Pick<OperatorDeps, 'secrets' | 'paymentFiles'>,
): Promise<Record<string, unknown>> {
  const files = await lockUnopenedHere(db, deps).catch(saidInstead)
  if (typeof files === 'string') return { would: files }
  if (files.length === 0) return { would: 'No payment file waits any more because no key opens it.' }
  const named = files
    .slice(0, MOST_NAMED)
    .map(({ messageId, payments, amountSen }) =>
      payments === 0
        ? `${messageId}: no payment; a file that this service made has some`
        : `${messageId}: ${sayCount(payments, 'payment')} of ${saySen(amountSen)}`,
    )
  const more = files.length - named.length
  const payments = files.reduce((sum, file) => sum + file.payments, 0)
  return {
    files: more > 0 ? [...named, `and ${more} more`] : named,
    would: `${sayCount(files.length, 'file')} would never go out. ${sayCount(payments, 'payment')} in them would go into the next file, once each. Is the key of these files gone for good, or did somebody write past the service?`,
  }
}
