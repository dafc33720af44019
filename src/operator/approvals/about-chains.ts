/** What was seen on chains that nobody here asked for: whoever lets them go on calls it known. */
import type { Queryable } from '../../db/database.ts'
import { countOpenMovements, listOpenMovements, type SeenMovement } from '../../settlement/tables/movements.sql.ts'
import type { Asked } from './asked.ts'

const MOST_SHOWN = 10

/** The newest of them, one by one. */
export async function describeChains(db: Queryable, { body }: Asked): Promise<Record<string, unknown>> {
  const chainId = typeof body.chainId === 'number' ? body.chainId : undefined
  const open = await listOpenMovements(db, { chainId, limit: MOST_SHOWN })
  if (open.length === 0) return { seen: 'Nothing that nobody here asked for.' }
  const shown = open.map((each, index) => [`seen${index === 0 ? '' : ` ${index + 1}`}`, say(each)])
  const more = (await countOpenMovements(db, { chainId })).count - shown.length
  const would = `What is seen here would be called known${more > 0 ? `, and ${more} more, which "coin chain status" lists` : ''}: settlement would go on.`
  return { would, ...Object.fromEntries(shown) }
}

function say({ chainId, movementId, details, seenBlock, seenAt }: SeenMovement): string {
  return `${chainId}/${movementId}, up to block ${seenBlock}, at ${seenAt.toISOString()}: ${details}.`
}
