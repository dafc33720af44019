// engine: postgres
/** What operators say about foreign batches, by their commands, on a real chain. */
// Runbook: Batches that this service did not make
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, KIND, packInstructions } from '../../src/chain/instructions.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { keepMining } from '../support/anvil.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { account, orderState, wallet } from './fixture.ts'
import { PARTIES } from './parties.ts'
import { restoreOldBackup } from './restore.ts'
import { type Scenario, startScenario } from './scenario.ts'

const THIEF = account('second').address
/** The first order that a test places, and its tag: the planted orders of the other chain come before it. */
let FIRST: string
let TAG: Hex

async function placeFirst(s: Scenario, amountMicro: bigint): Promise<bigint> {
  const [order = 0n] = await s.place({ direction: 'MINT', amountMicro, to: wallet(1) })
  const [row] = await s.db.query<{ reference_id: string }>('select reference_id from orders where order_id = $1', [
    order,
  ])
  const { integrationId } = PARTIES[0]
  FIRST = `${integrationId}/${row?.reference_id}`
  TAG = orderTag(integrationId, row?.reference_id ?? '')
  return order
}

/** The thief's next batch, of mints under the tag, mined before anything else. */
async function steal(s: Scenario, ...mints: { to: Hex; amount: bigint }[]): Promise<void> {
  const head = encodeFunctionData({ abi: settlementAbi, functionName: 'head' })
  const answer = (await s.rpc('eth_call', { to: s.config.settlement, data: head }, 'latest')) as Hex
  const [last, running] = decodeFunctionResult({ abi: settlementAbi, functionName: 'head', data: answer })
  const instructions = mints.map((each) => ({ kind: KIND.MINT, from: zeroAddress, tag: TAG, ...each }))
  const fee = '0x746a528800'
  await s.rpc('eth_sendTransaction', {
    from: THIEF,
    to: s.config.settlement,
    gas: '0x4c4b40',
    maxFeePerGas: fee,
    maxPriorityFeePerGas: fee,
    data: encodeSettle(last + 1n, running, packInstructions(instructions)),
  })
  await s.mine()
}

/** The planted chain's rows make other differences. */
async function supplyDifferences(coin: OperatorFixture): Promise<{ kind: string; message: string }[]> {
  const { stdout } = await coin.cli(['reconcile', '--json'])
  const { differences } = JSON.parse(stdout) as { differences: { kind: string; message: string }[] }
  return differences.filter(({ kind }) => kind === 'supply')
}

async function inPool(s: Scenario): Promise<void> {
  await waitFor('our batch in the pool', async () => {
    const pool = (await s.rpc('txpool_status')) as { pending: string }
    return BigInt(pool.pending) > 0n
  })
}

const conflictOf = (s: Scenario, orderId: bigint) =>
  waitFor('the conflict', async () => {
    const rows = await s.db.query('select 1 from tag_conflicts where order_id = $1', [orderId])
    return rows.length === 1
  })

async function mining<T>(s: Scenario, work: Promise<T>): Promise<T> {
  const stopMining = keepMining(s.mine, 50)
  return await work.finally(stopMining)
}

test('an order whose tag a thief used for itself goes on when an operator says so, and the theft is explained', async () => {
  const s = await startScenario({ manualMining: true })
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    await s.settle()
    const order = await placeFirst(s, 10n)
    await inPool(s)
    await steal(s, { to: THIEF, amount: 7n })
    await mining(s, conflictOf(s, order))

    const { batches } = await coin.run('batch', 'list', '--unexplained')
    assert.deepEqual(
      batches.map(({ batchId, isForeign, unmatched, waitingOrders }: Record<string, unknown>) => [
        batchId,
        isForeign,
        unmatched,
        waitingOrders,
      ]),
      [['1', true, 1, 1]],
    )
    const batch = await coin.run('batch', 'show', '31337', '1')
    assert.equal(batch.batchId, '1')
    assert.equal(batch.signer, THIEF)
    assert.deepEqual(batch.instructions, [
      {
        index: 0,
        kind: 'MINT',
        from: null,
        to: THIEF,
        amount: '0.000007',
        tag: TAG,
        order: null,
        waitingOrder: FIRST,
        notOfOrder: null,
        endedOrder: null,
        outcome: 'executed',
        outcomeNow: null,
      },
    ])
    // What the order itself tells of is not what is refused.
    const { waiting } = await coin.run('order', 'show', FIRST)
    assert.match(waiting, new RegExp(`"coin batch explain 31337 ID --not-order ${FIRST} --reason …" lets it go on`))
    assert.doesNotMatch(waiting, /explain 31337 ID --reason/)
    const early = await coin.cli(['batch', 'explain', '31337', '1', '--reason', 'stolen key'])
    assert.equal(early.code, 1)
    assert.match(early.stderr, new RegExp(`Orders wait because of this batch: ${FIRST}`))

    const said = await coin.run('batch', 'explain', '31337', '1', '--not-order', FIRST, '--reason', 'stolen key')
    assert.deepEqual(said.order, { order: FIRST, next: 'settles' })
    assert.equal(said.instructions[0].notOfOrder, FIRST)
    await mining(s, s.until(order, 'completed'))
    assert.equal(await s.chain.admin.supply(), 17n)

    assert.match((await supplyDifferences(coin))[0]?.message ?? '', /0\.000007 coin more/)
    const explained = await coin.run('batch', 'explain', '31337', '1', '--reason', 'stolen key, burned by hand')
    assert.equal(explained.explanation.reason, 'stolen key, burned by hand')
    assert.deepEqual((await coin.run('batch', 'list', '--unexplained')).batches, [])
    assert.deepEqual(await supplyDifferences(coin), [])
    const again = await coin.cli(['batch', 'explain', '31337', '1', '--reason', 'once more'])
    assert.match(again.stderr, /explained before/)
    const { entries } = await coin.run('audit', 'list')
    assert.deepEqual(
      entries.map(({ action, target, details }: Record<string, unknown>) => [action, target, details]),
      [
        [
          'batch.explain',
          '31337/1',
          { reason: 'stolen key, burned by hand', notOrder: null, instructions: [], next: null },
        ],
        ['batch.explain', '31337/1', { reason: 'stolen key', notOrder: FIRST, instructions: ['0'], next: 'settles' }],
      ],
    )
    const own = await coin.run('batch', 'show', '31337', '2')
    assert.deepEqual(
      own.instructions.map(({ order: name, tag, outcome }: Record<string, unknown>) => [name, tag, outcome]),
      [[FIRST, TAG, 'executed']],
    )
    assert.match((await coin.cli(['batch', 'explain', '31337', '2', '--reason', 'x'])).stderr, /nothing to explain/)
  } finally {
    await coin.close()
    await s.end()
  }
})

test('an order whose instruction a thief repeated takes one of the outcomes, never a third', async () => {
  const s = await startScenario({ manualMining: true })
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    await s.settle()
    const order = await placeFirst(s, 10n)
    await inPool(s)
    await steal(s, { to: wallet(1), amount: 10n }, { to: wallet(1), amount: 10n })
    await mining(s, conflictOf(s, order))
    // Neither what it tells of, nor what a refusal of that tells of, is refused in its turn.
    const says = new RegExp(`"coin batch explain 31337 ID --not-order ${FIRST} --index N --reason …"`)
    assert.match((await coin.run('order', 'show', FIRST)).waiting, says)
    const rejecting = await coin.cli(['order', 'reject', FIRST, '--reason', 'repeated'])
    assert.match(rejecting.stderr, says)
    assert.doesNotMatch(rejecting.stderr, /order release/)
    const args = ['batch', 'explain', '31337', '1', '--reason', 'repeated', '--not-order', FIRST]
    assert.match((await coin.cli(args)).stderr, /settle twice/)
    const said = await coin.run(...args, '--index', '1')
    assert.equal(said.order.next, 'takes_outcome')
    await mining(s, s.until(order, 'completed'))
    assert.equal(await s.chain.admin.supply(), 20n)
    const batch = await coin.run('batch', 'show', '31337', '1')
    assert.deepEqual(
      batch.instructions.map(({ order: taken, notOfOrder }: Record<string, unknown>) => [taken, notOfOrder]),
      [
        [FIRST, null],
        [null, FIRST],
      ],
    )
    await coin.run('batch', 'explain', '31337', '1', '--reason', 'repeated')
    assert.deepEqual(await supplyDifferences(coin), [])
    assert.match((await coin.cli(args)).stderr, /does not wait because of its tag/)
  } finally {
    await coin.close()
    await s.end()
  }
})

test('an order that was settled otherwise before a restore is not released to settle again', async () => {
  const s = await startScenario()
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  try {
    const order = await placeFirst(s, 20n)
    const settler = await s.settle()
    await s.until(order, 'completed')
    await settler.stop()
    await restoreOldBackup(s.db, s.config.chainId)
    await withoutGuards(s.db, (tx) => tx.query('update orders set amount_micro = 21 where order_id = $1', [order]))
    await s.settle()
    await conflictOf(s, order)
    const args = ['batch', 'explain', '31337', '1', '--not-order', FIRST, '--reason', 'looks odd']
    const refused = await coin.cli(args)
    assert.deepEqual([refused.code, /settle twice/.test(refused.stderr)], [1, true])
    assert.match((await coin.cli([...args, '--index', '3'])).stderr, /No instruction of this batch is left/)
    assert.equal((await orderState(s.db, order)).status, 'pending')
    assert.equal(await s.chain.admin.supply(), 20n)
    assert.deepEqual((await coin.run('audit', 'list')).entries, [])
  } finally {
    await coin.close()
    await s.end()
  }
})
