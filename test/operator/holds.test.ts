// engine: postgres; both in test:long
/** For what an order, or a payout, is held, and which of that somebody means who lets it go. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { holdOrders } from '../../src/orders/life/hold.sql.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { chainDouble, type OperatorFixture, startOperator } from './fixture.ts'
import { addBatch, addChain, addOrder, addParty, addPayout, type Party } from './world.ts'

const CHAIN = 31_337
let api: OperatorFixture
let party: Party
let count = 0

before(async () => {
  api = await startOperator({ chains: [chainDouble(CHAIN).chain] })
  party = await addParty(api.db)
  await addChain(api.db, CHAIN, 100n)
})
after(() => api.close())

async function anOrder() {
  count += 1
  const referenceId = `held-order-${count}`
  const order = { chainId: CHAIN, direction: 'MINT', state: 'created', amountMicro: 7_000_000n } as const
  const orderId = await addOrder(api.db, party, { ...order, referenceId })
  return { orderId, name: `${party.integrationId}/${referenceId}` }
}

async function aPayout(state: { status: string; holdReason?: string }) {
  const order = { chainId: CHAIN, direction: 'REDEEM', amountMicro: 1_000_000n, state: 'payoutPending' } as const
  const orderId = await addOrder(api.db, party, order)
  return await addPayout(api.db, { orderId, customerId: party.customerId, ...state })
}

const hold = async (noun: 'order' | 'payout', id: string, reason: string) =>
  api.run(noun, 'hold', id, '--reason', reason)
const release = (noun: 'order' | 'payout', id: string, ...held: string[]) =>
  api.cli([noun, 'release', id, ...held.flatMap((words) => ['--held', words]), '--reason', 'the letter says so'])
const reasonsOf = (holds: { reason: string }[]) => holds.map(({ reason }) => reason)

test('an order that is held for one thing is let go without a word; all that it is held for is shown, and is named', async () => {
  const once = await anOrder()
  await hold('order', once.name, 'a look at the name')
  assert.equal((await release('order', once.name)).code, 0)

  const { orderId, name } = await anOrder()
  await api.db.transaction((tx) => holdOrders(tx, [{ orderId, reason: 'wallet_not_linked' }]))
  const { note } = await hold('order', name, 'Court order 12, see the safe')
  assert.match(note, /is held for your reason, too: see "coin order show/)
  const { held, holds } = await api.run('order', 'show', name)
  assert.equal(held, 'wallet_not_linked')
  assert.deepEqual(reasonsOf(holds), ['wallet_not_linked', 'Court order 12, see the safe'])
  assert.deepEqual([holds[0].by, typeof holds[1].by, typeof holds[1].at], [null, 'string', 'string'])
  const shown = await api.cli(['order', 'show', name])
  assert.match(shown.stdout, /- reason="Court order 12, see the safe" by=/)
  assert.doesNotMatch(shown.stdout, /asSeen/)

  for (const [named, said] of [
    [[], /may be held for another reason than you mean\. It is held for “wallet_not_linked”; “Court order 12/],
    [['wallet_not_linked'], /You have not named all that \S+ is held for/],
    [['wallet_not_linked', 'police'], /is not held for “police”\. It is held for/],
    [['wallet_not_linked', 'o'], /is not held for “o”/],
  ] as const) {
    const refused = await release('order', name, ...named)
    assert.match(refused.stderr, said)
    assert.match(
      refused.stderr,
      /Look at it with "coin order show \S+", .* "coin order release \S+ --held … --reason …"/,
    )
  }
  assert.equal((await api.run('order', 'show', name)).held, 'wallet_not_linked')
  assert.equal((await release('order', name, 'WALLET_not_linked', 'court  order 12')).code, 0)
  const [entry] = (await api.run('audit', 'list', '--target', name)).entries
  assert.deepEqual(entry.details.held, ['WALLET_not_linked', 'court  order 12'])
})

test('an order that was let go before is let go again only by who says for what it is held now', async () => {
  const { name } = await anOrder()
  await hold('order', name, 'a look at the name')
  // Two people have the letter of compliance about the name.
  assert.equal((await release('order', name)).code, 0)
  await hold('order', name, 'asked by the police')
  assert.match(
    (await release('order', name)).stderr,
    /another reason than you mean\. It is held for “asked by the police” \(/,
  )
  assert.match((await release('order', name, 'the name')).stderr, /is not held for “the name”/)
  assert.equal((await release('order', name, 'the police')).code, 0)
})

test('what somebody has held a page about is nothing that it shows, also where only the audit log has it', async () => {
  const { name } = await anOrder()
  await hold('order', name, 'a look at the name')
  const payoutId = await aPayout({ status: 'queued' })
  await hold('payout', payoutId, 'a look at the name')
  for (const target of [`/orders/${name}`, `/payouts/${payoutId}`]) {
    const seen = async () => ({ 'x-seen': encodeURIComponent((await api.call('GET', target)).body.asSeen) })
    const early = await seen()
    await api.call('POST', `${target}/hold`, { reason: 'asked by the police' })
    const late = await api.call('POST', `${target}/release`, { reason: 'fine' }, early)
    assert.match(late.body.error.message, /is no longer what you have seen/)
    assert.equal((await api.call('POST', `${target}/release`, { reason: 'fine' }, await seen())).status, 200)
  }
})

test('a payout says who holds it and why; one that may be held for something else is named', async () => {
  const once = await aPayout({ status: 'queued' })
  await hold('payout', once, 'Court order 12')
  const { payout } = await api.run('payout', 'show', once)
  assert.deepEqual(reasonsOf(payout.holds), ['Court order 12'])
  assert.match((await api.cli(['payout', 'show', once])).stdout, /- reason="Court order 12" by=/)
  assert.match((await release('payout', once, 'police')).stderr, /is not held for “police”/)
  assert.equal((await release('payout', once)).code, 0)
  await hold('payout', once, 'asked by the police')
  const late = await release('payout', once)
  assert.match(late.stderr, /It is held for “asked by the police” .* "coin payout release po_\S+ --held … --reason …"/)
  assert.equal((await release('payout', once, 'the police')).code, 0)
})

test('whoever has looked at the bank does not pay what a colleague has held since, nor the other way round', async () => {
  const maybe = await aPayout({ status: 'held', holdReason: 'maybe_paid_before' })
  assert.deepEqual(reasonsOf((await api.run('payout', 'show', maybe)).payout.holds), ['maybe_paid_before'])
  await hold('payout', maybe, 'asked by the police')
  assert.match((await release('payout', maybe, 'maybe_paid_before')).stderr, /is not held for “maybe_paid_before”/)
  assert.match((await release('payout', maybe)).stderr, /another reason than you mean/)
  const alone = await aPayout({ status: 'held', holdReason: 'maybe_paid_before' })
  assert.equal((await release('payout', alone)).code, 0)
})

test('a held payout with the id of another one’s payment is told what really goes before it is called paid', async () => {
  const first = await aPayout({ status: 'queued' })
  await api.db.query(
    `insert into payout_attempts (payout_id, attempt, end_to_end_id, rail) select payout_id, 1, end_to_end_id, 'http' from payouts where payout_id = $1`,
    [first],
  )
  for (const [holdReason, said] of [
    ['by_operator', /: run "coin payout release po_\S+ --held … --reason …" first\. Queued again/],
    [
      'rail_not_configured',
      /: the rail that was asked .* set PAYOUT_RAIL .* which no release makes up for\. Queued again/,
    ],
    [
      'burn_not_seen',
      /"coin payout release po_\S+ --held … --reason …" has the chain asked again, .* "coin payout resettle/,
    ],
    ['other_attempt', /an earlier attempt has to fail or come back first, see "coin payout show po_\S+"/],
  ] as const) {
    const payoutId = await aPayout({ status: 'held', holdReason })
    await withoutGuards(api.db, (tx) =>
      tx.query(
        `update payouts set end_to_end_id = (select end_to_end_id from payouts where payout_id = $2) where payout_id = $1`,
        [payoutId, first],
      ),
    )
    const refused = await api.cli(['payout', 'mark-paid', payoutId, '--reference', 'R'])
    assert.match(refused.stderr, said)
    const released = await release('payout', payoutId)
    // What it is told to do first is done, or not refused.
    assert.equal(released.code === 0, holdReason !== 'rail_not_configured', released.stderr)
  }
})

test('what is said of a batch is not taken for another one that has its number since', async () => {
  const batchId = 90_001n
  const key = ['batch', 'explain', String(CHAIN), String(batchId)]
  await addBatch(api.db, { chainId: CHAIN, batchId, status: 'final', isForeign: true })
  const { digest, txHash, asSeen } = await api.run('batch', 'show', String(CHAIN), String(batchId))
  assert.doesNotMatch((await api.cli(['batch', 'show', String(CHAIN), String(batchId)])).stdout, /asSeen/)
  await api.db.query(
    `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, pauses, batch_id, digest) values ($1, 'batch', 'x', 1, 2, true, $2, '0xother')`,
    [CHAIN, batchId],
  )
  const say = (...more: string[]) => api.cli([...key, ...more, '--reason', 'the report says so'])
  const unnamed = await say()
  assert.match(
    unnamed.stderr,
    new RegExp(`^Under the number of batch 90001 of chain 31337 there was another before\\. Its digest is ${digest}`),
  )
  assert.match(
    unnamed.stderr,
    /Look at it with "coin batch show 31337 90001", then .*"coin batch explain 31337 90001 --digest … /,
  )
  assert.match((await say('--digest', '0xother')).stderr, /^Batch 90001 of chain 31337 is not 0xother\./)
  const target = `/batches/${CHAIN}/${batchId}/explain`
  const seen = (what: string) => ({ 'x-seen': encodeURIComponent(what) })
  const stale = await api.call('POST', target, { reason: 'known' }, seen(asSeen.replace(digest, '0xother')))
  assert.match(stale.body.error.message, /is no longer what you have seen/)
  assert.equal((await api.run('batch', 'show', String(CHAIN), String(batchId))).explanation, null)
  assert.equal((await say('--digest', txHash ?? digest)).code, 0)
  const [entry] = (await api.run('audit', 'list', '--target', `${CHAIN}/${batchId}`)).entries
  assert.equal(entry.details.digest, txHash ?? digest)

  await addBatch(api.db, { chainId: CHAIN, batchId: 90_002n, status: 'final', isForeign: true })
  assert.equal((await api.cli(['batch', 'explain', String(CHAIN), '90002', '--reason', 'alone'])).code, 0)
})

test('all reasons can be named, however many people hold it', async () => {
  const { name } = await anOrder()
  const reasons = Array.from({ length: 21 }, (_, index) => `letter ${index + 100}`)
  for (const reason of reasons) await api.call('POST', `/orders/${name}/hold`, { reason })
  assert.match((await release('order', name, ...reasons.slice(1))).stderr, /You have not named all/)
  assert.equal((await release('order', name, ...reasons)).code, 0)
})
