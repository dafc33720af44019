/** Paying what a customer is owed in parts of a sen, without waiting for their next redeem. */
import { endToEndIdOf } from '../bank-files/end-to-end-id.ts'
import { type Queryable, violatedConstraint } from '../db/database.ts'
import { recordEntries } from '../ledger/entries.sql.ts'
import { entryOfResidual } from '../ledger/postings.ts'
import { SEN_IN_MICRO } from '../money.ts'
import { payoutIdOf, wakePayer } from './queue.sql.ts'
import { splitAmount } from './split.ts'

/** The owner of their names, which is no integration's: no partner can choose the same. */
export const RESIDUALS = 'residuals'

/** What a customer is recorded to be owed is more than redeems and refunds can have left over. */
export class ResidualTooGreatError extends Error {
  override readonly name = 'ResidualTooGreatError'
}

/** What is owed and goes back with no refund; of that, what banks can move. `reservedMicro`: what goes back with refunds that are under way. */
export type Residual = { owedMicro: bigint; payableSen: bigint; reservedMicro: bigint }

type Locked = { integration_id: string; free_micro: bigint; reserved_micro: bigint; settlements: number }

/** What a customer is owed in parts of a sen. Its row stays locked. */
async function lockResidual(tx: Queryable, customerId: string): Promise<Locked | undefined> {
  const [row] = await tx.query<Locked>(
    `select c.integration_id, r.owed_micro - r.reserved_micro as free_micro, r.reserved_micro, r.settlements
     from customer_residuals r join customers c using (customer_id) where r.customer_id = $1 for update of r`,
    [customerId],
  )
  return row
}

/** See `Residual`. It stays so until the transaction ends. */
export async function readResidual(tx: Queryable, customerId: string): Promise<Residual> {
  const locked = await lockResidual(tx, customerId)
  const owedMicro = locked?.free_micro ?? 0n
  return { owedMicro, payableSen: splitAmount(0n, owedMicro).amountSen, reservedMicro: locked?.reserved_micro ?? 0n }
}

/**
 * Queues the whole sen of what a customer is owed as a payout of its own, and books it. Its name counts the customer's such
 * payouts, so that one which is lost with the database has the same when it is queued again, and the rail is asked first.
 * @returns the payout; undefined when less than a sen is owed
 * @throws ResidualTooGreatError when the database accepts no such payout; the transaction is over then
 */
export async function queueResidual(tx: Queryable, customerId: string, now: Date): Promise<string | undefined> {
  const locked = await lockResidual(tx, customerId)
  const { amountSen } = splitAmount(0n, locked?.free_micro ?? 0n)
  if (locked === undefined || amountSen === 0n) return undefined
  await tx.query(
    'update customer_residuals set owed_micro = owed_micro - $2::bigint, settlements = settlements + 1 where customer_id = $1',
    [customerId, amountSen * SEN_IN_MICRO],
  )
  const referenceId = `${customerId}/${locked.settlements + 1}`
  const integrationId = locked.integration_id
  const payoutId = await insertResidual(tx, { integrationId, referenceId, customerId, amountSen })
  await recordEntries(tx, [entryOfResidual({ payoutId, integrationId, amountSen, effectiveAt: now })])
  await wakePayer(tx)
  return payoutId
}

type NewResidual = { integrationId: string; referenceId: string; customerId: string; amountSen: bigint }

async function insertResidual(
  tx: Queryable,
  { integrationId, referenceId, customerId, amountSen }: NewResidual,
): Promise<string> {
  const inserted = tx.query<{ payout_id: string }>(
    `insert into payouts (payout_id, integration_id, reference_id, customer_id, amount_sen, status, end_to_end_id, ask_first)
     values (${payoutIdOf('$1', '$3')}, $2, $3, $4, $5, 'queued', $6, true)
     returning payout_id`,
    [
      RESIDUALS,
      integrationId,
      referenceId,
      customerId,
      amountSen,
      endToEndIdOf({ integrationId: RESIDUALS, referenceId, attempt: 1 }),
    ],
  )
  const [row] = await inserted.catch((error: unknown) => {
    throw violatedConstraint(error) === 'payouts_begin'
      ? new ResidualTooGreatError('more than can be left over')
      : error
  })
  return row?.payout_id ?? ''
}
