/** The samples of the package's README, and what they print against an API with a customer and a wallet of its own. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { CHAIN_ID, newAddress, type TestApi } from '../../test/support/api.ts'
import { addBatchRow, someBatchId } from '../../test/support/batch-rows.ts'
import { waitFor } from '../../test/support/wait-for.ts'
import { withoutGuards } from '../../test/support/without-guards.ts'

const README = readFileSync(path.join(import.meta.dirname, '../README.md'), 'utf8')

/** Each sample as it stands there. The last one is the receiver, which runs until it is ended. */
export const SAMPLES: readonly string[] = [...README.matchAll(/```ts\n([\s\S]*?)```/g)].map(([, code = '']) => code)

const MINTS = 0
const READS_EVENTS = 4
const PRINTED: readonly RegExp[] = [
  /^completed 1000\.5\n$/,
  /^at most 50000\n$/,
  /^1000\.500001 true\n$/,
  /^(order-\S+ completed\n)+$/,
  /^(evt_\S+ mint\.pending order-\S+\n)+$/,
]

/**
 * Runs every sample but the receiver, in their order, and compares what they print.
 * @param run runs the sample of this index in this environment, and resolves with what it printed
 */
export async function runSamples(
  api: TestApi,
  run: (index: number, env: Record<string, string>) => Promise<string>,
): Promise<void> {
  assert.equal(SAMPLES.length, PRINTED.length + 1)
  const customerId = await api.makeCustomer()
  const walletAddress = await api.makeWallet(customerId)
  const env = {
    COIN_API: api.baseUrl,
    COIN_KEY: api.fullKey,
    WALLET: walletAddress,
    RECIPIENT: newAddress(),
    CUSTOMER: customerId,
  }
  for (const [index, printed] of PRINTED.entries()) {
    // Nobody is shown what a transaction that is open anywhere on the server may still come before.
    if (index === READS_EVENTS)
      await waitFor('the event of the first sample', async () => {
        return /"evt_/.test((await api.get('/v1/events')).text)
      })
    const [output] = await Promise.all([run(index, env), index === MINTS ? settleNext(api) : undefined])
    assert.match(output, printed, `sample ${index}`)
  }
}

/** Nobody settles behind this API: the next mint that is submitted is completed, as a settler leaves it. */
async function settleNext({ db }: TestApi): Promise<void> {
  const orderId = await waitFor('a mint that is submitted', async () => {
    const [row] = await db.query<{ order_id: bigint }>(`select order_id from orders where status = 'pending'`)
    return row?.order_id
  })
  const batchId = someBatchId()
  await addBatchRow(db, { chainId: CHAIN_ID, batchId, status: 'final', orderIds: [orderId] })
  await withoutGuards(db, (tx) =>
    tx.query(
      `update orders set status = 'completed', batch_id = $2, batch_index = 0, tx_hash = sha256('1'), block_number = 50
       where order_id = $1`,
      [orderId, batchId],
    ),
  )
}
