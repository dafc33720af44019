/** An operator API with one chain on which everything is well, and one partner with a customer. */
import { writeHold } from '../../src/settlement/tables/holds.sql.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addParty, type Party } from './world.ts'

export const CHAIN = 31_337

export async function startOnOneChain(): Promise<{ api: OperatorFixture; party: Party }> {
  const api = await startOperator({ chains: [chainDouble(CHAIN).chain] })
  const party = await addParty(api.db)
  await addChain(api.db, CHAIN, 100n)
  // So that an order can be rejected.
  await writeHold(api.db, CHAIN, { reason: 'none', details: null, blocked: [] })
  await api.db.query('update chains set fenced_on = database_timeline()')
  return { api, party }
}
