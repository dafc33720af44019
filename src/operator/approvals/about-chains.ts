/** What was seen on chains that nobody here asked for: whoever lets them go on calls it known. */
import type { Queryable } from '../../db/database.ts'
import { listOpenMovements, type SeenMovement } from '../../settlement/tables/movements.sql.ts'
import type { Asked } from './asked.ts'

const MOST_SHOWN = 10

/** The newest of them, one by one. */
export async function describeChains(db: Queryable, { body }: Asked): Promise<Record<string, unknown>> {
  const chainId = typeof body.chainId === 'number' ? body.chainId : undefined
  const open = await listOpenMovements(db, { chainId, limit: MOST_SHOWN + 1 })
  if (open.length === 0) return { seen: 'Nothing that nobody here asked for.' }
  const shown = open.slice(0, MOST_SHOWN).map((each, index) => [`seen${index === 0 ? '' : ` ${index + 1}`}`, say(each)])
  const would = `What is seen here would be called known${open.length > MOST_SHOWN ? `, and more than these ${MOST_SHOWN}` : ''}: settlement would go on.`
  return { would, ...Object.fromEntries(shown) }
}

function say({ chainId, movementId, details, seenBlock, seenAt }: SeenMovement): string {
  return `${chainId}/${movementId}, up to block ${seenBlock}, at ${seenAt.toISOString()}: ${details}.`
}
