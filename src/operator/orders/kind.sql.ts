/** What orders do, as operators read it. */
import { REFUNDS, REMINTS } from '../../values/house.ts'

/** SQL: the direction of an order; but `REFUND` of what is minted back to a holder, and `REMINT` of what is minted again, which are no mints. */
export const KIND_OF_ORDER = `case integration_id when '${REFUNDS}' then 'REFUND' when '${REMINTS}' then 'REMINT' else direction end`
