/** The partner that a command would act for. */
import type { Queryable } from '../../db/database.ts'
import { listUnended } from '../../integrations/api-keys.sql.ts'
import { findIntegration, findNamesakes } from '../../integrations/integrations.sql.ts'

const MOST_NAMED = 3

/**
 * The partner by its name, because nobody recognises an id. Names are not unique: one person alone makes an integration, and may name it like a partner
 * that everybody knows. So whoever decides is told of others of that name, and which is the oldest.
 */
export async function withIntegration(
  db: Queryable,
  integrationId: unknown,
): Promise<Record<string, unknown> | undefined> {
  const found = await findIntegration(db, String(integrationId))
  if (found === undefined) return undefined
  const { name, status, createdAt } = found
  const others = await findNamesakes(db, found.integrationId, MOST_NAMED)
  const same = others.map((other) => `${other.integrationId}, made on ${dayOf(other.createdAt)}`)
  const sameName = `Another integration goes by this name: ${same.join('; ')}. This one was made on ${dayOf(createdAt)}.`
  return { integrationName: name, integrationStatus: status, ...(same.length > 0 && { sameName }) }
}

const MOST_KEYS_NAMED = 10

/** The keys that would work again: one that was stolen before the partner was suspended is among them unless somebody has revoked it. */
export async function describeKeys(db: Queryable, integrationId: string): Promise<string> {
  const { keyIds, count } = await listUnended(db, integrationId, MOST_KEYS_NAMED)
  if (count === 0) return 'None: each is revoked or expired.'
  const more = count > keyIds.length ? ` and ${count - keyIds.length} more` : ''
  return `${keyIds.join(', ')}${more}. Revoke what was stolen first.`
}

const dayOf = (at: Date) => at.toISOString().slice(0, 10)
