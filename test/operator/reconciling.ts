/** Two partners, two chains and settled orders that are booked, anew for each test, and what a reconciliation says of them. */
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { entriesOfSettled } from '../../src/ledger/postings.ts'
import { type Reconciliation, reconcile } from '../../src/operator/reconcile/reconcile.ts'
import type { StateName } from '../../src/orders/life/states.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { createTestDatabase } from '../support/database.ts'
import { chainDouble } from './fixture.ts'
import { addChain, addOrder, addParty, emptyDatabase, type OrderInput, type Party } from './world.ts'

export const MICRO = 1_000_000n

export type Reconciling = Awaited<ReturnType<typeof startReconciling>>

export async function startReconciling() {
  const db = await createTestDatabase()

  async function parties() {
    await emptyDatabase(db)
    const [one, other] = [await addParty(db), await addParty(db)]
    const [first, second] = [chainDouble(1), chainDouble(2)]
    await addChain(db, 1, 100n)
    await addChain(db, 2, 50n)
    return { one, other, first, second }
  }

  const run = (): Promise<Reconciliation> => reconcile(db, [s.first.chain, s.second.chain], TEST_SECRETS)

  /** What settlement books for an order that is settled alone in its batch. */
  async function book(orderId: bigint, { chainId, direction, amountMicro, integrationId }: OrderInput & Party) {
    const [row] = await db.query<{ batch_id: bigint }>('select batch_id from orders where order_id = $1', [orderId])
    const order = { integrationId, amountMicro, feeMicro: 0n }
    await db.transaction((tx) =>
      recordEntries(
        tx,
        entriesOfSettled({
          chainId,
          source: `batch/${chainId}/${row?.batch_id}`,
          effectiveAt: new Date(),
          minted: direction === 'MINT' ? [order] : [],
          burnt: direction === 'REDEEM' ? [{ ...order, payoutSen: amountMicro / 10_000n }] : [],
        }),
      ),
    )
  }

  const s = {
    db,
    ...(await parties()),
    async renew(): Promise<void> {
      Object.assign(s, await parties())
    },
    run,
    async differences(...kinds: string[]): Promise<string[]> {
      const found = (await run()).differences.filter(({ kind }) => kinds.includes(kind))
      return found.map(({ kind, subject }) => `${kind} ${subject}`).sort()
    },
    /** An order in a state, of the first partner on the first chain unless told otherwise, and its entries when it is settled. */
    async place(
      direction: OrderInput['direction'],
      end: string,
      amountMicro: bigint,
      rest: Partial<OrderInput> & { party?: Party } = {},
    ): Promise<bigint> {
      const { party = s.one, ...more } = rest
      const state = end === 'paying' ? 'payoutPending' : (end as StateName)
      const order = { chainId: 1, direction, amountMicro, state, ...more }
      const orderId = await addOrder(db, party, order)
      if (['completed', 'payoutPending'].includes(state)) await book(orderId, { ...order, ...party })
      return orderId
    },
  }
  return s
}
