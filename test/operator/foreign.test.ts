// engine: postgres
/** What operators see and do when others move coin on a chain: reconcile, orders that had ended, and a pause that they end. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { ROLE_IDS } from '../../src/chain/deployment/roles.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { encodeSettle, type Instruction, KIND, packInstructions } from '../../src/chain/instructions.ts'
import type { Settler } from '../../src/settlement/settler.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { account, linkOf, wallet } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { keepMining } from '../support/anvil.ts'
import { waitFor } from '../support/wait-for.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

const THIEF = account('second').address
const CHAIN = '31337'
const NO_TAG = '0x0000000000000001'

type Difference = { kind: string; subject: string; message: string; transactions?: Record<string, unknown>[] }

const minted = (to: Hex, amount: bigint, tag: Hex = NO_TAG): Instruction => ({
  kind: KIND.MINT,
  from: zeroAddress,
  to,
  amount,
  tag,
})

async function send(s: Scenario, from: string, to: string, data: Hex): Promise<Hex> {
  const hash = (await s.rpc('eth_sendTransaction', { from, to, data, gas: '0x4c4b40' })) as Hex
  const receipt = await waitFor('the receipt', () => s.rpc('eth_getTransactionReceipt', hash))
  assert.equal((receipt as { status: string }).status, '0x1')
  return hash
}

/** The thief's next batch. */
async function steal(s: Scenario, ...instructions: Instruction[]): Promise<Hex> {
  const head = encodeFunctionData({ abi: settlementAbi, functionName: 'head' })
  const answer = (await s.rpc('eth_call', { to: s.config.settlement, data: head }, 'latest')) as Hex
  const [last, running] = decodeFunctionResult({ abi: settlementAbi, functionName: 'head', data: answer })
  return await send(s, THIEF, s.config.settlement, encodeSettle(last + 1n, running, packInstructions(instructions)))
}

/** Those of this chain; the planted chain's rows make other differences. */
async function differences(coin: OperatorFixture, ...kinds: string[]): Promise<Difference[]> {
  const { stdout } = await coin.cli(['reconcile', '--json'])
  const found = (JSON.parse(stdout) as { differences: Difference[] }).differences
  return found.filter(({ kind, subject }) => kinds.includes(kind) && !subject.startsWith('31338'))
}

/** The references of orders that are not of the planted chain. */
const unplanted = (orders: { referenceId: string }[]) =>
  orders.map(({ referenceId }) => referenceId).filter((referenceId) => !referenceId.startsWith('planted'))

/** The newest movement, as somebody reads it before they resume. */
async function newestOf(coin: OperatorFixture): Promise<string> {
  const { chains } = (await coin.call('GET', '/chains')).body
  return chains[0].movements[0].movement
}

async function begin(options: Parameters<typeof startScenario>[0] = {}) {
  const s = await startScenario(options)
  const coin = await startOperator({ db: s.db, chains: [s.chain] })
  return { s, coin, end: async () => void (await Promise.all([coin.close(), s.end()])) }
}

/** A settler that has looked at the chain. */
async function settling(s: Scenario, overrides: Parameters<Scenario['settle']>[0] = {}): Promise<Settler> {
  const settler = await s.settle(overrides)
  const [order] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(7) })
  await s.until(order, 'completed')
  return settler
}

test('reconcile names the transaction, the wallets and the amounts of what a stolen key did, also where the supply is the same', async () => {
  const { s, coin, end } = await begin()
  try {
    await s.chain.admin.linkWallet(linkOf(THIEF))
    await settling(s)
    const first = await steal(s, minted(THIEF, 7_500_000n))
    const moved: Instruction = { kind: KIND.TRANSFER, from: THIEF, to: wallet(5), amount: 2_000_000n, tag: NO_TAG }
    const burnt: Instruction = { kind: KIND.REDEEM, from: THIEF, to: zeroAddress, amount: 500_000n, tag: NO_TAG }
    const second = await steal(s, moved, burnt)
    const found = await waitFor('both batches', async () => {
      const all = await differences(coin, 'foreign_batch')
      return all.length === 2 ? all : undefined
    })
    assert.deepEqual(
      found.map(({ subject, transactions }) => ({
        subject,
        transactions: transactions?.map(({ block: _, ...rest }) => rest),
      })),
      [
        { subject: '31337/2', transactions: [{ txHash: first, from: null, to: THIEF, amount: '7.5' }] },
        {
          subject: '31337/3',
          transactions: [
            { txHash: second, from: THIEF, to: wallet(5), amount: '2' },
            { txHash: second, from: THIEF, to: null, amount: '0.5' },
          ],
        },
      ],
    )
    const [mint, other] = found
    assert.match(
      mint?.message ?? '',
      new RegExp(`transaction ${first}, block \\d+, sent by ${THIEF}.*7.5 minted to ${THIEF}`),
    )
    assert.match(other?.message ?? '', new RegExp(`2 moved from ${THIEF} to ${wallet(5)}, 0.5 burnt from ${THIEF}`))
    assert.match(JSON.stringify(await differences(coin, 'supply')), /7 coin more at block/)
    for (const batchId of ['2', '3'])
      await coin.run('batch', 'explain', CHAIN, batchId, '--reason', 'a theft, made good')
    assert.deepEqual(await differences(coin, 'foreign_batch', 'foreign_movement', 'supply'), [])
    assert.match(
      (await coin.cli(['reconcile'])).stdout,
      /\n(No differences but what is explained|Explained, so no differences):\n {2}Chain \d+ should have 7 coin more than the books hold/,
    )
    const { supply, expected, books } = JSON.parse((await coin.cli(['reconcile', '--json'])).stdout)
    assert.deepEqual([supply, Number(expected) - Number(books)], [expected, 7], 'what was explained is in no book')
  } finally {
    await end()
  }
})

test('a mint outside every batch pauses settlement here and on chain, reconcile names it, and chain resume ends it', async () => {
  const { s, coin, end } = await begin()
  try {
    await settling(s, { onForeignMovement: 'pause' })
    const { address } = s.config.coin
    const admin = account('deployer').address
    await send(
      s,
      admin,
      address,
      encodeFunctionData({ abi: coinAbi, functionName: 'grantRole', args: [ROLE_IDS.settler, THIEF] }),
    )
    const packed = packInstructions([minted(wallet(8), 3_000_000n)])
    const theft = await send(
      s,
      THIEF,
      address,
      encodeFunctionData({ abi: coinAbi, functionName: 'execute', args: [packed] }),
    )
    const stopMining = keepMining(s.mine, 100)
    try {
      await waitFor('the stop on chain', async () => (await s.chain.admin.status()).settlementPaused)
      const found = await differences(coin, 'foreign_movement')
      assert.deepEqual(
        found
          .flatMap(({ transactions = [] }) => transactions.filter(({ amount }) => amount !== null))
          .map(({ txHash, amount }) => [txHash, amount]),
        [[theft, '3']],
      )
      assert.match(
        found.map(({ message }) => message).join(),
        new RegExp(`by ${theft}: 3 coin was made outside every batch`),
      )
      assert.match(
        found.map(({ message }) => message).join(),
        new RegExp(`${THIEF} was given the settler role of the coin`),
      )
      const [order] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(1) })
      const stuck = await waitFor('the reason', async () => {
        const { orders } = await coin.run('order', 'list', '--stuck', '--older-than', '0s')
        return (orders as { waiting: string }[]).find(({ waiting }) => waiting.startsWith('foreign-movement'))
      })
      assert.match(stuck.waiting, /run "coin chain resume --known CHAIN\/NUMBER"/)
      await s.db.query(
        `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values (31337, 'limit', 'x', 0, 7, false)`,
      )
      const unwatched = (await differences(coin, 'foreign_movement')).find(({ message }) => message.includes(': x.'))
      assert.match(unwatched?.message ?? '', /^On chain 31337, up to block 7, by /)
      const unnamed = await coin.cli(['chain', 'resume'])
      const known = / --known (31337\/\d+)\./.exec(unnamed.stderr)?.[1] ?? assert.fail(unnamed.stderr)
      await s.db.query(
        `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values (31337, 'limit', 'since', 0, 8, false)`,
      )
      // What comes between the look and the command is not called known by it.
      const late = await coin.cli(['chain', 'resume', '--known', known])
      assert.match(
        late.stderr,
        /^Nobody here asked for this, and you have not called it known: 31337\/\d+, seen at \S+: since\. Find/,
      )
      // Nor by a number that whatever comes would be under.
      const beyond = await coin.cli(['chain', 'resume', '--known', '31337/999999'])
      assert.match(beyond.stderr, /^Nothing that was seen is called 31337\/999999: take the name from/)
      assert.ok((await s.chain.admin.status()).settlementPaused)
      const shown = (await coin.cli(['chain', 'status'])).stdout
      const newest =
        / UNASKED +(31337\/\d+) +up to block 8, seen at \S+: since\n/.exec(shown)?.[1] ?? assert.fail(shown)
      const { chains } = await coin.run('chain', 'resume', '--known', newest)
      assert.equal(chains[0].ok, true)
      await s.until(order, 'completed')
      assert.deepEqual(await differences(coin, 'foreign_movement'), [])
      const { entries } = await coin.run('audit', 'list')
      assert.ok((entries as { action: string }[]).some(({ action }) => action === 'chain.acknowledge'))
    } finally {
      stopMining()
    }
  } finally {
    await end()
  }
})

test('without an unpauser here a pause that is not on chain is ended all the same', async () => {
  const { s, coin, end } = await begin({ config: { pauser: undefined, unpauser: undefined } })
  try {
    await settling(s, { onForeignMovement: 'pause' })
    await steal(s, minted(THIEF, 7n))
    await waitFor(
      'the pause',
      async () => (await s.db.query('select from foreign_movements where pauses')).length === 1,
    )
    const [order] = await s.place({ direction: 'MINT', amountMicro: 1n, to: wallet(1) })
    const { chains } = await coin.run('chain', 'resume', '--settlement-only', '--known', await newestOf(coin))
    assert.deepEqual([chains[0].ok, chains[0].txHash], [true, null])
    await s.until(order, 'completed')
  } finally {
    await end()
  }
})

/** @returns its name and reference, and what would mint it with a stolen key */
async function rejectedMint(
  s: Awaited<ReturnType<typeof begin>>['s'],
  coin: Awaited<ReturnType<typeof begin>>['coin'],
) {
  const [id = 0n] = await s.place({ direction: 'MINT', amountMicro: 4_000_000n, to: wallet(1) })
  const [row] = await s.db.query<{ integration: string; reference: string }>(
    'select integration_id as integration, reference_id as reference from orders where order_id = $1',
    [id],
  )
  assert.ok(row)
  const order = `${row.integration}/${row.reference}`
  await coin.run('order', 'reject', order, '--reason', 'a test')
  const stolen = minted(wallet(1), 4_000_000n, orderTag(row.integration, row.reference))
  return { order, reference: row.reference, stolen }
}

test('of a rejected mint that its partner pays after all, what a foreign batch has minted twice is owed once, and waits for a word about the other', async () => {
  const { s, coin, end } = await begin()
  try {
    const settler = await settling(s)
    await settler.stop()
    const { order, stolen } = await rejectedMint(s, coin)
    await s.settle()
    await steal(s, stolen, stolen)
    const named = () => differences(coin, 'ended_order', 'foreign_batch', 'supply')
    await waitFor('the conflict', async () => (await named()).some(({ kind }) => kind === 'ended_order') || undefined)
    await coin.run('order', 'make-good', order, '--reason', 'its partner pays')
    assert.deepEqual((await named()).map(({ kind }) => kind).toSorted(), ['ended_order', 'foreign_batch', 'supply'])
    const again = await coin.cli(['order', 'make-good', order, '--reason', 'once more', '--json'])
    assert.match(again.stdout + again.stderr, /The chain has not lost it/)
    await coin.run('batch', 'explain', CHAIN, '2', '--not-order', order, '--reason', 'a thief made it')
    await coin.run('batch', 'explain', CHAIN, '2', '--reason', 'a thief made it')
    assert.deepEqual(await named(), [])
  } finally {
    await end()
  }
})

test('an order that had ended before a foreign batch moved coin for it is a conflict until an operator has spoken about it', async () => {
  const { s, coin, end } = await begin()
  try {
    const settler = await settling(s)
    await settler.stop()
    const { order, reference, stolen } = await rejectedMint(s, coin)
    await s.settle()
    await steal(s, stolen)
    const [conflict] = await waitFor('the conflict', async () => {
      const found = await differences(coin, 'ended_order')
      return found.length > 0 ? found : undefined
    })
    assert.equal(conflict?.subject, order)
    assert.match(
      conflict?.message ?? '',
      /over 4 was already failed when a foreign batch on chain 31337 moved coin for it/,
    )
    const shown = await coin.run('order', 'show', order)
    assert.equal(shown.order.status, 'failed')
    assert.match(shown.waiting, /^tag_conflict: the order had ended/)
    const { orders } = await coin.run('order', 'list', '--stuck')
    assert.deepEqual(unplanted(orders), [reference])

    const refused = await coin.cli(['batch', 'explain', CHAIN, '2', '--reason', 'too soon', '--json'])
    assert.match(refused.stdout + refused.stderr, /Orders wait because of this batch/)
    const spoken = await coin.run(
      'batch',
      'explain',
      CHAIN,
      '2',
      '--not-order',
      order,
      '--reason',
      'burnt again with the partner',
    )
    assert.deepEqual(spoken.order, { order, next: 'stays_ended' })
    assert.deepEqual(await differences(coin, 'ended_order'), [])
    assert.deepEqual(unplanted((await coin.run('order', 'list', '--stuck')).orders), [])
    await coin.run('batch', 'explain', CHAIN, '2', '--reason', 'burnt again with the partner')
    assert.equal((await coin.run('order', 'show', order)).order.status, 'failed')
    assert.deepEqual(await differences(coin, 'foreign_batch'), [])
  } finally {
    await end()
  }
})
