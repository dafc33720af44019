// engine: postgres; both in test:long
/** A chain that is gone for good, as operators see it: it is called lost by the command, and nothing is red for it alone. */
// Runbook: A chain is gone for good
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { describeLostChain } from '../../src/operator/lost-chain.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sealBooks } from '../support/seal-books.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addChain, addOrder, addParty, addPayout } from './world.ts'

const [GONE, THERE] = [31_337, 31_338]

let db: TestDatabase
let api: OperatorFixture
const gone = chainDouble(GONE, { coin: '0x1', settlement: '0x2' })
const there = chainDouble(THERE)
const known = new Set<number>()
before(async () => {
  db = await createTestDatabase()
  for (const chainId of [GONE, THERE]) await addChain(db, chainId, 90n)
  const isLost = (chainId: number) => known.has(chainId)
  api = await startOperator({ db, chains: [gone.chain, there.chain], isLost })
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: 5_000_000n },
    { account: `coins:${GONE}`, amountMicro: -5_000_000n },
  ] as const
  await db.transaction((tx) => recordEntries(tx, [{ reference: 'some', effectiveAt: new Date(), lines }]))
  await sealBooks(db, 1)
  await db.query(`update chains set observed_at = now() - interval '2 days'`)
  gone.state.readable = false
})
after(async () => {
  await api.close()
  await db.close()
})

const lostLine =
  /^Chain 31337 is lost since .* \(switched off\): 5 coin stay owed to its holders, and nothing was compared there\.$/

test('until it is called lost it is a difference; then reconcile says it, and exits with 0', async () => {
  const differing = await api.cli(['reconcile'])
  assert.equal(differing.code, 1)
  assert.match(differing.stdout, /The supply on chain 31337 could not be read/)
  const lost = await api.run('chain', 'lost', '--chain', String(GONE), '--reason', 'switched off')
  assert.deepEqual([lost.chainId, lost.staysOwed, lost.notFinal], [GONE, '5 coin', 'nothing'])
  assert.match(lost.lastBlock, /^90, seen at /)
  known.add(GONE)
  const agreed = await api.cli(['reconcile', '--json'])
  const { ok, chains, explained, differences } = JSON.parse(agreed.stdout)
  assert.deepEqual([agreed.code, ok, differences], [0, true, []])
  assert.deepEqual(
    chains.map(({ chainId }: { chainId: number }) => chainId),
    [THERE],
  )
  assert.match(explained.join(), lostLine)
  const [line] = await db.query<{ actor: string; details: Record<string, string> }>(
    `select actor, details from audit_log where action = 'chain.lost'`,
  )
  assert.deepEqual([line?.details.reason, line?.details.staysOwed], ['switched off', '5 coin'])
})

test('it is shown as lost, also where it is out of the chains file, and asked nothing', async () => {
  const status = await api.cli(['chain', 'status'])
  assert.equal(status.code, 0)
  assert.match(status.stdout, /chain 31337: LOST, head -\n.*\n.*\n.*\n {2}Lost since .*: switched off\n/)
  const { body } = await api.call('GET', '/overview')
  const [first, second] = body.chains
  assert.deepEqual([first.lost.reason, first.hold, second.lost], ['switched off', null, null])
  const elsewhere = await startOperator({ db, chains: [there.chain] })
  const { explained, ok } = (await elsewhere.call('GET', '/reconcile')).body
  assert.equal(ok, true)
  assert.match(explained.join(), lostLine)
  await elsewhere.close()
})

test('orders there that no settler ends are a difference: nothing else said so, and the runbook ends with reconcile', async () => {
  const party = await addParty(db)
  const open = await addOrder(db, party, { chainId: GONE, direction: 'MINT', state: 'created', amountMicro: 5n })
  const { ok, differences } = (await api.call('GET', '/reconcile')).body
  assert.equal(ok, false)
  assert.deepEqual(differences, [
    {
      kind: 'chain_unreadable',
      subject: String(GONE),
      message:
        'On chain 31337, which is lost, 1 order has not ended: a settler ends it within seconds. See that a process with the role settler runs, and what it logs.',
    },
  ])
  await withoutGuards(db, (tx) => tx.query('delete from orders where order_id = $1', [open]))
  assert.equal((await api.call('GET', '/reconcile')).body.ok, true)
})

test('whoever decides is told what the proof will say that is owed, and that there are more orders than were counted', async () => {
  const party = await addParty(db)
  await addChain(db, 7, 90n)
  const first = await addOrder(db, party, { chainId: 7, direction: 'MINT', state: 'created', amountMicro: 5n })
  await db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses, ended_at)
     values (7, 'supply', 'made outside', 1, 2, 3000000, false, now())`,
  )
  const said = async () => {
    const { staysOwed, notFinal } = await describeLostChain(db, 7)
    return [staysOwed, notFinal]
  }
  assert.deepEqual(await said(), ['3 coin', '1 MINT over 0.000005'])
  await withoutGuards(db, (tx) =>
    tx.query(
      `insert into orders overriding system value select (jsonb_populate_record(o, jsonb_build_object('order_id', 1000000 + n, 'reference_id', 'of-many-' || n))).*
       from orders o cross join generate_series(1, 20000) n where o.order_id = $1`,
      [first],
    ),
  )
  assert.deepEqual(await said(), ['3 coin', 'at least 20000 MINT over 0.1'])
  assert.equal((await describeLostChain(db, 7)).lastProven, undefined)
  const supplies = [{ chainId: 7, coin: '0x1', blockNumber: '90', blockHash: '0x2', supplyMicro: '8000000' }]
  const madeAt = '2026-01-02T03:04:05.000Z'
  await db.query('insert into reserve_proofs (made_at, proof) values ($1, $2::jsonb)', [
    madeAt,
    JSON.stringify({ madeAt, supplies }),
  ])
  const { lastProven } = await describeLostChain(db, 7)
  assert.equal(lastProven, `8 coin at block 90, at ${madeAt}`, 'what the books have since is compared with it')
  await db.query('delete from reserve_proofs')
  await withoutGuards(db, (tx) => tx.query('delete from orders where chain_id = 7'))
  await db.query('delete from foreign_movements')
  await db.query('delete from chains where chain_id = 7')
})

test('health does not wait for it, and says that it is lost', async () => {
  const { body } = await api.call('GET', '/../../readyz')
  assert.deepEqual(
    (body.chains as object[]).map((each) => each),
    [
      { chainId: GONE, readable: false, lost: true },
      { chainId: THERE, readable: true },
    ],
  )
})

test('what is done on all chains is done on the others', async () => {
  const wallet = '0x00000000000000000000000000000000000000A1'
  for (const args of [
    ['chain', 'pause'],
    ['chain', 'resume'],
    ['wallet', 'freeze', wallet],
    ['wallet', 'unfreeze', wallet],
  ]) {
    const { code, stderr } = await api.cli(args)
    assert.equal(code, 0, `${args.join(' ')}: ${stderr}`)
  }
  assert.equal((await api.cli(['screening', 'check', wallet])).code, 0)
  await db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values ($1, 'role', 'x', 1, 2, true)`,
    [GONE],
  )
  const newest = async () => {
    const [row] = await db.query<{ name: string }>(
      `select chain_id || '/' || movement_id as name from foreign_movements order by movement_id desc limit 1`,
    )
    return ['--known', row?.name ?? assert.fail('nothing was seen')]
  }
  const known = await api.cli(['chain', 'resume', '--chain', String(GONE), ...(await newest())])
  assert.equal(known.code, 0, known.stderr)
  const open = await db.query('select from foreign_movements where ended_at is null')
  assert.equal(open.length, 0, 'what was seen there before is known')
  await db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses) values ($1, 'role', 'x', 1, 2, true)`,
    [GONE],
  )
  const elsewhere = await startOperator({ db, chains: [there.chain] })
  assert.equal((await elsewhere.call('GET', '/reconcile')).body.ok, false)
  const out = await elsewhere.cli(['chain', 'resume', '--chain', String(GONE), ...(await newest())])
  assert.equal(out.code, 0, out.stderr)
  assert.equal((await elsewhere.call('GET', '/reconcile')).body.ok, true, 'also once it is out of the chains file')
  const unknown = await elsewhere.cli(['chain', 'resume', '--chain', '5'])
  assert.match(unknown.stderr, /The chain 5 is not configured/)
  await elsewhere.close()
  const named = await api.cli(['chain', 'pause', '--chain', String(GONE)])
  assert.equal(named.code, 1, 'whoever names it means it')
})

test('what had been lost on it before is made good without minting there, and nothing is minted back', async () => {
  const party = await addParty(db)
  const order = { chainId: GONE, amountMicro: 1_000_000n } as const
  const mint = await addOrder(db, party, {
    ...order,
    direction: 'MINT',
    state: 'completed',
    referenceId: 'a-lost-mint',
  })
  await db.query(
    'insert into lost_orders (order_id, chain_id, batch_id) select order_id, chain_id, batch_id from orders where order_id = $1',
    [mint],
  )
  const good = await api.cli(['order', 'make-good', `${party.integrationId}/a-lost-mint`, '--reason', 'it stays owed'])
  assert.equal(good.code, 0, good.stderr)
  const reminted = await db.query(`select from orders where integration_id = 'remints'`)
  assert.equal(reminted.length, 0)
  const otherwise = [
    ['lost-before-it', `now() - interval '1 day'`],
    ['made-even', 'now()'],
    ['made-even-with-it', 'now()'],
  ] as const
  await db.transaction(async (tx) => {
    for (const [referenceId, closedAt] of otherwise) {
      const made = await addOrder(tx, party, { ...order, direction: 'MINT', state: 'completed', referenceId })
      await tx.query(
        `insert into lost_orders (order_id, chain_id, batch_id, closed_at) select order_id, chain_id, batch_id, ${closedAt} from orders where order_id = $1`,
        [made],
      )
    }
  })
  const orderId = await addOrder(db, party, { ...order, direction: 'REDEEM', state: 'payoutPending' })
  const payoutId = await addPayout(db, { orderId, customerId: party.customerId, status: 'rejected' })
  const refund = await api.cli(['payout', 'refund', payoutId])
  assert.equal(refund.code, 1)
  assert.match(refund.stderr, /on chain 31337, which is lost: no coin can be minted back there/)
})

test('found again, it is a chain like the others', async () => {
  const unseen = await api.cli(['chain', 'found', '--chain', String(GONE), '--reason', 'a copy was found'])
  assert.deepEqual([unseen.code, /No node shows chain 31337/.test(unseen.stderr)], [1, true])
  gone.state.readable = true
  gone.state.findings = [{ text: 'Somebody else may mint.', danger: true }]
  const other = await api.cli(['chain', 'found', '--chain', String(GONE), '--reason', 'a copy was found'])
  assert.match(other.stderr, /It is not the chain that was lost: Somebody else may mint\./)
  gone.state.findings = []
  gone.state.genesisHash = '0x99'
  const begun = await api.cli(['chain', 'found', '--chain', String(GONE), '--reason', 'one of that id was begun anew'])
  assert.match(begun.stderr, /It is not the chain that was lost: it begins with another block/)
  gone.state.genesisHash = '0x00'
  gone.chain.config.settlement = '0x3'
  const others = await api.cli(['chain', 'found', '--chain', String(GONE), '--reason', 'with other contracts'])
  assert.match(others.stderr, /The chains file has the contracts 0x1 and 0x3 .* correct the chains file/)
  gone.chain.config.settlement = '0x2'
  await api.run('chain', 'found', '--chain', String(GONE), '--reason', 'a copy was found')
  known.clear()
  assert.match(
    (await api.cli(['chain', 'found', '--chain', String(GONE), '--reason', 'x'])).stderr,
    /is not called lost/,
  )
  assert.match((await api.cli(['chain', 'lost', '--chain', String(GONE), '--reason', 'x'])).stderr, /shows its block 7/)
  const open = await db.query<{ name: string }>(
    `select reference_id as name from lost_orders join orders using (order_id) where closed_at is null`,
  )
  assert.deepEqual(open, [{ name: 'a-lost-mint' }], 'it can be minted again; what was made good otherwise stays')
  const [row] = await db.query<{ fenced: string | null }>(
    'select fenced_on as fenced from chains where chain_id = $1',
    [GONE],
  )
  assert.equal(row?.fenced, null)
  gone.state.supplyMicro = 5_000_000n
  const { body } = await api.call('GET', '/reconcile')
  assert.deepEqual(
    body.chains.map(({ chainId }: { chainId: number }) => chainId),
    [GONE, THERE],
  )
})
