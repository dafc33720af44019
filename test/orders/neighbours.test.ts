// engine: postgres; both in test:long
/** What an acceptance does to the rows of its neighbours: nothing, even when they have the same names. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createOrdersFixture, MICRO, newReference, type OrdersFixture } from '../support/orders.ts'

let fixture: OrdersFixture
before(async () => {
  fixture = await createOrdersFixture()
  // A mint.pending must reach only the first endpoint of an integration.
  await fixture.db.query(
    `insert into webhook_endpoints (endpoint_id, integration_id, url, secret_encrypted, status, event_types)
     select 'we_' || i || '_' || n, i, 'https://x', 'sb1.s', case n when 2 then 'disabled' else 'enabled' end,
       case n when 3 then array['redeem.pending'] when 4 then array['transfer.failed', 'mint.pending'] end
     from unnest($1::text[]) i cross join generate_series(1, 4) n`,
    [[fixture.integrationId, fixture.neighbours.stranger.integrationId]],
  )
})
after(() => fixture.close())

const reasonOf = (meta: Record<string, unknown> | undefined) => meta?.reason

test("no redeem takes coin from another customer's linked wallet", async () => {
  const { colleague, stranger } = fixture.neighbours
  for (const { walletAddress } of [colleague, stranger]) {
    fixture.chain.balances.set(`31337 ${walletAddress}`, 1_000n * MICRO)
    const body = fixture.redeemBody({ walletAddress })
    const { code, meta } = await fixture.attempt('redeem', body)
    assert.deepEqual([code, reasonOf(meta)], ['POLICY_REJECTED', 'wallet_not_linked'])
    assert.deepEqual(
      await fixture.db.query('select from orders where reference_id = $1', [String(body.referenceId)]),
      [],
    )
  }
  const { answer } = await fixture.attempt('redeem', fixture.redeemBody({ ...colleagueBody() }), {
    caller: colleague.caller,
  })
  assert.equal(answer?.status, 201)
})

const colleagueBody = () => {
  const { customerId, walletAddress } = fixture.neighbours.colleague
  return { customerId, walletAddress }
}

test("a transfer takes coin from the customer's primary wallet, a redeem from the wallet it names", async () => {
  const [secondary = ''] = fixture.secondaryWallets
  fixture.chain.balances.set(`31337 ${secondary}`, 1_000n * MICRO)
  const transfer = fixture.transferBody({ amountCoin: '3' })
  const redeem = fixture.redeemBody({ amountCoin: '5', walletAddress: secondary })
  await fixture.call('transfer', transfer)
  await fixture.call('redeem', redeem)
  const rows = await fixture.db.query<{ debit_address: string; wallet_address: string }>(
    'select debit_address, wallet_address from orders where reference_id = any ($1) order by order_id',
    [[transfer.referenceId, redeem.referenceId] as string[]],
  )
  assert.deepEqual(rows, [
    { debit_address: fixture.walletAddress, wallet_address: transfer.walletAddress },
    { debit_address: secondary, wallet_address: secondary },
  ])
  const earmarks = await fixture.db.query<{ address: string; earmarked_micro: bigint }>(
    'select address, earmarked_micro from wallet_earmarks where address = any ($1) order by earmarked_micro',
    [[fixture.walletAddress, ...fixture.secondaryWallets]],
  )
  assert.deepEqual(
    earmarks.map(({ address, earmarked_micro: micro }) => [address, micro]),
    [
      [fixture.walletAddress, 3n * MICRO],
      [secondary, 5n * MICRO],
    ],
  )
})

test("what one customer and key use up is nobody else's, nor another day's or chain's", async () => {
  const { colleague, stranger } = fixture.neighbours
  for (const { keyId, customerId, walletAddress } of [fixture, colleague, stranger]) {
    await fixture.db.query(
      `insert into transfer_usage (key_id, day, committed_micro, cap_micro)
       select $1, (now() at time zone 'UTC')::date + d, 1000 + d, 1000000000000 from generate_series(-2, 2) d
       on conflict do nothing`,
      [keyId],
    )
    await fixture.db.query(
      `insert into withdrawal_usage (customer_id, month, committed_micro, cap_micro)
       select $1, (date_trunc('month', now() at time zone 'UTC') + m * interval '1 month')::date, 2000 + m, 1000000000000
       from generate_series(-2, 2) m on conflict do nothing`,
      [customerId],
    )
    await fixture.db.query(
      `insert into wallet_earmarks (chain_id, address, earmarked_micro) select c, $1, 1 from unnest(array[31337, 31338]) c
       on conflict do nothing`,
      [walletAddress],
    )
  }
  const rows = async () =>
    (
      await fixture.db.query<{ name: string; micro: bigint }>(
        `select 'key ' || key_id || day as name, committed_micro as micro from transfer_usage
         union all select 'customer ' || customer_id || month, committed_micro from withdrawal_usage
         union all select 'wallet ' || chain_id || address, earmarked_micro from wallet_earmarks order by 1`,
      )
    ).map(({ name, micro }) => [name, micro] as const)
  const before = await rows()
  await fixture.call('transfer', fixture.transferBody({ amountCoin: '3' }))
  await fixture.call('redeem', fixture.redeemBody({ amountCoin: '5' }))
  const now = new Map(await rows())
  const changes = before.map(([name, micro]) => [name.split(' ')[0], (now.get(name) ?? 0n) - micro] as const)
  assert.equal(now.size, before.length)
  assert.deepEqual(
    changes.filter(([, change]) => change !== 0n),
    [
      ['customer', 5n * MICRO],
      ['key', 3n * MICRO],
      ['wallet', 8n * MICRO],
    ],
  )
})

test('mints of two integrations that share a statement and every name have each its own order, answer, event and deliveries', async () => {
  const { stranger } = fixture.neighbours
  const references = Array.from({ length: 20 }, newReference)
  const posts = references.flatMap((referenceId, n) =>
    [fixture, stranger].map((owner, place) =>
      fixture.call(
        'mint',
        fixture.mintBody({
          referenceId,
          customerId: owner.customerId,
          amountMyr: `${100 * place + n + 1}`,
          fiatConfirmed: true,
        }),
        { caller: owner.caller, idempotencyKey: referenceId },
      ),
    ),
  )
  await Promise.all(posts)
  for (const [place, owner] of [fixture, stranger].entries()) {
    const rows = await fixture.db.query<{
      reference_id: string
      amount_micro: bigint
      own_key: boolean
      told_micro: bigint
    }>(
      `select o.reference_id, o.amount_micro, k.order_id = o.order_id as own_key, e.amount_micro as told_micro,
         array(select endpoint_id from deliveries d where d.event_id = e.event_id order by 1) as endpoints
       from orders o join idempotency_keys k on k.integration_id = o.integration_id and k.idempotency_key = o.reference_id
       join events e on e.integration_id = o.integration_id and e.reference_id = o.reference_id
       where o.integration_id = $1 and o.reference_id = any ($2)`,
      [owner.integrationId, references],
    )
    assert.equal(rows.length, references.length)
    for (const row of rows) {
      const coin = String(100 * place + references.indexOf(row.reference_id) + 1)
      assert.deepEqual(
        [row.amount_micro, row.own_key, row.told_micro],
        [BigInt(coin) * MICRO, true, BigInt(coin) * MICRO],
      )
      const endpoints = [1, 4].map((n) => `we_${owner.integrationId}_${n}`)
      assert.deepEqual((row as unknown as { endpoints: string[] }).endpoints, endpoints)
    }
  }
})

test('a confirmation, and a cancellation, move one order: neither a neighbour of the same reference nor another one', async () => {
  const { stranger } = fixture.neighbours
  const [confirmed, cancelled, untouched] = [newReference(), newReference(), newReference()]
  for (const referenceId of [confirmed, cancelled, untouched]) {
    for (const { caller, customerId } of [fixture, stranger]) {
      await fixture.call('mint', fixture.mintBody({ referenceId, customerId }), { caller })
    }
  }
  const waiting = async () =>
    (
      await fixture.db.query<{ name: string }>(
        `select (integration_id = $1) || ' ' || reference_id as name from orders where status = 'payment_pending'`,
        [fixture.integrationId],
      )
    ).map(({ name }) => name)
  const before = await waiting()
  await fixture.call('mint', fixture.mintBody({ referenceId: confirmed, fiatConfirmed: true }))
  await fixture.call('cancelMint', {}, { referenceId: cancelled })
  const now = new Set(await waiting())
  assert.deepEqual(before.filter((name) => !now.has(name)).sort(), [`true ${confirmed}`, `true ${cancelled}`].sort())
})

test('only what awaits settlement now wakes a settler: no waiting mint, no cancellation, no re-post', async () => {
  const accepted = async (work: () => Promise<unknown>) => {
    const before = fixture.accepted.length
    await work()
    return fixture.accepted.slice(before)
  }
  const body = fixture.mintBody()
  const confirmed = { ...body, fiatConfirmed: true }
  const waiting = fixture.mintBody()
  assert.deepEqual(await accepted(() => fixture.call('mint', body)), [])
  assert.deepEqual(await accepted(() => fixture.call('mint', confirmed)), [31_337])
  assert.deepEqual(await accepted(() => fixture.call('mint', confirmed)), [])
  assert.deepEqual(await accepted(() => fixture.call('mint', waiting)), [])
  const cancel = () => fixture.call('cancelMint', {}, { referenceId: String(waiting.referenceId) })
  assert.deepEqual(await accepted(cancel), [])
  const { walletAddress } = fixture
  fixture.chain.balances.set(`31338 ${walletAddress}`, 1_000n * MICRO)
  assert.deepEqual(await accepted(() => fixture.call('transfer', fixture.transferBody({ chainId: 31_338 }))), [31_338])
  assert.deepEqual(await accepted(() => fixture.call('redeem', fixture.redeemBody())), [31_337])
})

test('a wallet whose holder took the link to this customer back pays for nothing more, whatever else it is linked to', async () => {
  const { chain, integrationId, customerId, walletAddress } = fixture
  const { colleague } = fixture.neighbours
  const linkOf = (chainId: number, customer: string) => [chainId, walletAddress, integrationId, customer].join(' ')
  for (const elsewhere of [linkOf(31_338, customerId), linkOf(31_337, colleague.customerId)])
    chain.unlinked.add(elsewhere)
  assert.equal((await fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '1' }))).answer?.status, 201)
  chain.unlinked.add(linkOf(31_337, customerId))
  for (const attempt of [
    fixture.attempt('redeem', fixture.redeemBody({ amountCoin: '1' })),
    fixture.attempt('transfer', fixture.transferBody({ amountCoin: '1' })),
  ]) {
    const { code, meta } = await attempt
    assert.deepEqual([code, reasonOf(meta)], ['POLICY_REJECTED', 'wallet_not_linked'])
  }
  chain.unlinked.clear()
})
