/** Mints that a credit pays by name. */
import type { Queryable } from '../db/database.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { readFacts } from './facts.sql.ts'
import { type Line, matchLine } from './match.ts'

/** The mints of an integration that a credit names and, to the sen, pays. */
export async function mintsNamedIn(
  tx: Queryable,
  secrets: SecretBox,
  line: Line,
  integrationId: string,
): Promise<readonly bigint[]> {
  if (line.amountMicro < 0n) return []
  const match = matchLine(line, await readFacts(tx, secrets, line))
  return match.kind === 'mint' && match.integrationId === integrationId ? match.orderIds : []
}
