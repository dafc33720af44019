// engine: postgres
/** What operators see of payouts, and what they do with those that came back. */
// Runbook: A payout was paid twice
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, it } from 'node:test'
import { Command } from 'commander'
import { lockCustomer } from '../../src/customers/customers.sql.ts'
import { register } from '../../src/operator/cli/payout.ts'
import { PAYOUT_TAKES } from '../../src/operator/orders/commands-in.ts'
import { PAYOUT_STATUSES } from '../../src/payouts/payout.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import { markPaid, markRejected, markSent } from '../../src/payouts/record-news.ts'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { A_BANK, giveBank } from '../support/bank-details.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { asRole, createTestDatabase, type TestDatabase } from '../support/database.ts'
import { CUSTOMERS, INTEGRATIONS, placeOrder, seedTwoOfEverything } from '../support/two-of-everything.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let db: TestDatabase
let coin: OperatorFixture
before(async () => {
  db = await createTestDatabase({ believesBurns: true })
  await seedTwoOfEverything(db)
  coin = await startOperator({ db, chains: [] })
})
after(async () => {
  await coin.close()
  await db.close()
})

async function queued(reference: string): Promise<string> {
  const orderId = await placeOrder(db, { direction: 'REDEEM', party: 'a1', reference, state: 'payoutPending' })
  await db.transaction((tx) => queuePayouts(tx, [{ orderId, customerId: CUSTOMERS.a1, amountMicro: 12_050_000n }]))
  const [row] = await db.query<{ payout_id: string }>('select payout_id from payouts where order_id = $1', [orderId])
  return row?.payout_id ?? ''
}
const reject = (payoutId: string, attempt: number) =>
  db.transaction((tx) => markRejected(tx, { payoutId, attempt }, { reason: 'account closed', effectiveAt: new Date() }))
const ask = () => claimPayouts(db, { rail: 'http', limit: 99, claimMs: 60_000 })

it('a refused payout is shown with its order, its account and its payments; it is tended, retried and paid', async () => {
  const payoutId = await queued('redeem-shown')
  await queued('redeem-other')
  await ask()
  await reject(payoutId, 1)
  await coin.run('payout', 'assign', payoutId, '--to', 'Aminah')
  const { payouts } = await coin.run('payout', 'list', '--status', 'rejected')
  assert.equal(payouts.length, 1)
  const { since, createdAt, updatedAt, endToEndId, burn, ...listed } = payouts[0]
  assert.ok(since >= createdAt && updatedAt >= createdAt && /^[0-9A-Z]{12}$/.test(endToEndId))
  assert.deepEqual(listed, {
    payoutId,
    integrationId: INTEGRATIONS.a,
    referenceId: 'redeem-shown',
    customerId: CUSTOMERS.a1,
    amountMyr: '12.05',
    bankBic: 'BICA1',
    bankAccountEnding: '10a1',
    rail: 'http',
    status: 'rejected',
    owner: 'Aminah',
    attempt: 1,
    holdReason: null,
    timesAsked: 1,
    nextAttemptAt: null,
    railReference: null,
    lastError: 'account closed',
    refundOrder: null,
    isBeingRefunded: false,
  })
  const retried = await coin.run('payout', 'retry', payoutId)
  assert.deepEqual([retried.payoutId, retried.status], [payoutId, 'queued'])
  await ask()
  const { payout, asSeen: _, ...shown } = await coin.run('payout', 'show', payoutId)
  assert.deepEqual(shown, { payoutId, status: payout.status })
  const said = (await coin.cli(['payout', 'show', payoutId])).stdout
  assert.equal(said.match(new RegExp(`^payoutId: ${payoutId}$`, 'gm'))?.length, 1)
  assert.match(said, /^status: queued$/m)
  assert.equal(payout.bankName, 'Name a1')
  assert.deepEqual(
    payout.payments.map((one: Record<string, unknown>) => [one.attempt, one.status, one.bankAccount, one.reason]),
    [
      [1, 'rejected', '…10a1', 'account closed'],
      [2, 'asked', '…10a1', null],
    ],
  )
  assert.notEqual(payout.payments[1].endToEndId, endToEndId)
  assert.match(
    (await coin.cli(['payout', 'mark-paid', payoutId, '--reference', 'R'])).stderr,
    / is queued, and only one that is held, rejected or returned can be marked as paid; while it is queued, run "coin payout hold po_\w+ --reason …" first/,
  )
  await reject(payoutId, 2)
  const paid = await coin.run('payout', 'mark-paid', payoutId, '--reference', 'R')
  assert.deepEqual([paid.payoutId, paid.status, paid.payout.status], [payoutId, 'paid_by_hand', 'paid_by_hand'])
  assert.match((await coin.cli(['payout', 'retry', payoutId])).stderr, /paid_by_hand: there is nothing to retry/)
})

it('where no payment files are made, the refusal to hold what is sent does not speak of them', async () => {
  const payoutId = await queued('redeem-sent')
  await ask()
  await db.transaction((tx) => markSent(tx, { payoutId, attempt: 1 }, { railReference: 'R', effectiveAt: new Date() }))
  const { stderr } = await coin.cli(['payout', 'hold', payoutId, '--reason', 'fraud'])
  assert.match(stderr, / is sent, and only one that is queued can be held/)
})

it('no coin is minted back on a chain that was given up: the payout could never be paid again', async () => {
  const payoutId = await queued('redeem-given-up')
  await ask()
  await reject(payoutId, 1)
  await db.query(
    `insert into settlement_holds (chain_id, reason, seen_at) select chain_id, 'none', now() - interval '1 hour' from chains`,
  )
  const { stderr } = await coin.cli(['payout', 'refund', payoutId])
  assert.match(stderr, /burnt on chain 1, where no settler works and which the chains file does not name/)
  assert.equal((await coin.run('payout', 'retry', payoutId)).status, 'queued')
  await db.query('delete from settlement_holds')
})

it('why no coin is minted back of a payout that came back before any payer had seen its burn is said', async () => {
  const payoutId = await queued('redeem-unseen')
  await ask()
  await reject(payoutId, 1)
  await withoutGuards(db, (tx) => tx.query('update payouts set burn = null where payout_id = $1', [payoutId]))
  const { code, stderr } = await coin.cli(['payout', 'refund', payoutId])
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^No payer has seen the burn that ${payoutId} pays on the chain yet`))
})

it('whoever looks at a payout whose coin is being minted back is told so, wherever they look', async () => {
  const payoutId = await queued('redeem-refunding')
  await ask()
  await reject(payoutId, 1)
  const before = await coin.run('payout', 'show', payoutId)
  assert.deepEqual([before.payout.refundOrder, before.payout.isBeingRefunded], [null, false])
  for (const verb of ['retry', 'refund', 'mark-paid'])
    assert.match(before.payout.advice, new RegExp(`"coin payout ${verb} ${payoutId}[^"]*"`), 'what can be done next')
  const { payout } = await coin.run('payout', 'refund', payoutId)
  const name = `refunds/${payoutId}`
  assert.equal((await coin.run('payout', 'show', payoutId)).payout.advice, null)
  assert.deepEqual([payout.refundOrder, payout.isBeingRefunded], [name, true])
  const { payouts } = await coin.run('payout', 'list', '--status', 'rejected')
  assert.deepEqual(
    payouts.filter((each: Record<string, unknown>) => each.isBeingRefunded).map((each: typeof payout) => each.payoutId),
    [payoutId],
  )
  const says = new RegExp(`being minted back: see "coin order show ${name}"`)
  for (const command of [['refund'], ['retry'], ['mark-paid', '--reference', 'R']]) {
    const [verb = '', ...rest] = command
    assert.match((await coin.cli(['payout', verb, payoutId, ...rest])).stderr, says, verb)
  }
  const { differences } = JSON.parse((await coin.cli(['reconcile', '--json'])).stdout)
  const [told] = differences.filter(({ subject }: { subject: string }) => subject === payoutId)
  assert.match(told.message, /refused by the rail, and its coin is being minted back: see "coin order show refunds/)
  const redeem = await coin.run('order', 'show', `${INTEGRATIONS.a}/redeem-refunding`)
  assert.match(redeem.waiting, says)
  assert.equal(redeem.payout.refundOrder, name)
  const { orders } = await coin.run('order', 'find', payoutId)
  assert.deepEqual(
    orders.map(({ referenceId }: Record<string, string>) => referenceId),
    [payoutId, 'redeem-refunding'],
  )
  const { entries } = await coin.run('audit', 'list', '--target', payoutId, '--limit', '500')
  const [line] = entries.filter(({ action }: Record<string, string>) => action === 'payout.refund')
  assert.deepEqual([line.before.refundOrder, line.after.refundOrder], [undefined, name])
})

it('a payout is shown although an account that it went to does not open', async () => {
  const payoutId = await queued('redeem-sealed')
  await ask()
  const lost = createSecretBox(randomBytes(32)).seal('x')
  await db.query(
    'update bank_details set sealed = $2 where bank_id = (select bank_id from payouts where payout_id = $1)',
    [payoutId, lost],
  )
  const { payout } = await coin.run('payout', 'show', payoutId)
  const words = '(cannot be opened with the present key)'
  assert.deepEqual(
    [payout.bankName, payout.payments[0].bankName, payout.payments[0].bankAccount],
    [words, words, '…10a1'],
  )
  await giveBank(db, A_BANK, { customerId: CUSTOMERS.a1 })
})

it('the list is of those that have waited, and of one status; as CSV no cell is a formula', async () => {
  const payoutId = await queued('redeem-old')
  const threeDaysAgo = `now() - interval '3 days'`
  await withoutGuards(db, (tx) =>
    tx.query(`update payouts set created_at = ${threeDaysAgo}, status_since = ${threeDaysAgo} where payout_id = $1`, [
      payoutId,
    ]),
  )
  const ids = async (...args: string[]) =>
    (await coin.run('payout', 'list', ...args)).payouts.map((payout: Record<string, string>) => payout.payoutId)
  assert.deepEqual(await ids('--older-than', '2'), [payoutId])
  assert.deepEqual(await ids('--older-than', '3', '--status', 'queued'), [payoutId])
  assert.deepEqual(await ids('--older-than', '4'), [])
  assert.deepEqual(await ids('--older-than', '71h'), [payoutId])
  for (const status of PAYOUT_STATUSES) {
    const held = `rail = 'http', rail_reference = 'R', hold_reason = case when $2 = 'held' then 'by_operator' end`
    await withoutGuards(db, (tx) =>
      tx.query(`update payouts set status = $2, ${held} where payout_id = $1`, [payoutId, status]),
    )
    const isPaid = ['paid', 'paid_by_hand', 'refunded'].includes(status)
    assert.deepEqual(await ids('--older-than', '2', '--unpaid'), isPaid ? [] : [payoutId], status)
    assert.deepEqual(await ids('--older-than', '2', '--unpaid', '--status', status), isPaid ? [] : [payoutId], status)
  }
  await withoutGuards(db, (tx) =>
    tx.query(`update payouts set status = 'queued', rail = null, rail_reference = null where payout_id = $1`, [
      payoutId,
    ]),
  )
  assert.deepEqual(await ids('--older-than', '73h'), [])
  for (const age of ['10000', '10000d', '3w', '-1', '1.5']) {
    assert.match(
      (await coin.cli(['payout', 'list', '--older-than', age])).stderr,
      /must be a duration such as 30m/,
      age,
    )
  }
  await coin.run('payout', 'assign', payoutId, '--to', '=1+1')
  const { stdout } = await coin.cli(['payout', 'list', '--older-than', '2', '--csv'])
  const [heading, row] = stdout.split('\r\n')
  assert.match(heading ?? '', /^payoutId,referenceId,amountMyr,status,since,bankAccountEnding,owner,/)
  assert.match(row ?? '', new RegExp(`^${payoutId},redeem-old,12.05,queued,.*,'=1\\+1,`))
})

it('a hold keeps a payout from the bank until it is released', async () => {
  const payoutId = await queued('redeem-held')
  const { payout } = await coin.run('payout', 'hold', payoutId, '--reason', 'a call from the bank')
  assert.equal(payout.status, 'held')
  const [, pasted = ''] = /^an operator holds it: run "coin ([^"]+)"/.exec(payout.holdReason) ?? []
  assert.ok((await ask()).every((claimed) => claimed.payoutId !== payoutId))
  assert.match(
    (await coin.cli(['payout', 'retry', payoutId])).stderr,
    new RegExp(
      `is held: an operator holds it: run "coin payout release ${payoutId} --held … --reason …" when it may go on\\.\\s*$`,
    ),
  )
  const said = pasted.replace('--held …', '--held bank')
  assert.equal((await coin.run(...said.split(' '))).payout.status, 'queued', pasted)
})

it('a payment too many is a difference until it comes back', async () => {
  const payoutId = await queued('redeem-twice')
  await ask()
  await reject(payoutId, 1)
  await coin.run('payout', 'retry', payoutId)
  await ask()
  const line = { bankAccount: '512', reference: 'S', effectiveAt: new Date() }
  for (const attempt of [2, 1]) await db.transaction((tx) => markPaid(tx, { payoutId, attempt }, line))
  const { differences } = JSON.parse((await coin.cli(['reconcile', '--json'])).stdout)
  const twice = differences.filter(({ kind }: { kind: string }) => kind === 'payout_twice')
  assert.equal(twice.length, 1)
  assert.equal(twice[0].subject, payoutId)
  assert.match(twice[0].message, /RM 12.05 was paid, or is being paid, once more than was owed.*attempt 1/)
})

/** What a customer of integration a is owed; the books are not looked at here. */
const owe = (customerId: string, micro: bigint) =>
  db.query(
    `insert into customer_residuals (customer_id, owed_micro) values ($1, $2)
     on conflict (customer_id) do update set owed_micro = excluded.owed_micro`,
    [customerId, micro],
  )
const isSomebodyWaiting = async () =>
  (await db.query(`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`))
    .length > 0
const settle = (customerId: string) => coin.cli(['payout', 'settle-residual', '--customer', customerId, '--json'])

it('parts of a sen are paid once they are a sen; before that a sentence says how much is owed', async () => {
  const refusals = []
  for (const micro of [0n, 9_999n]) {
    await owe(CUSTOMERS.a2, micro)
    refusals.push(JSON.parse((await settle(CUSTOMERS.a2)).stdout).error.message)
  }
  refusals.push(JSON.parse((await settle('cus_nobody')).stdout).error.message)
  assert.match(refusals[0], /^Nothing is owed to cus_\S+a2 beyond their payouts/)
  assert.match(
    refusals[1],
    /^RM 0.009999 is owed to cus_\S+a2: banks cannot move parts of a sen, so it goes out with their next redeem/,
  )
  assert.match(refusals[2], /cus_nobody/)
  for (const [owed, reserved, says] of [
    [
      12_000n,
      12_000n,
      /^RM 0\.012 that is owed to cus_\S+a2 goes back to them as coin, with a refund that is under way: /,
    ],
    [14_000n, 12_000n, /^RM 0\.002 is owed to .* next redeem\. Besides, RM 0\.012 that is owed to .* under way\.$/],
  ] as const) {
    await owe(CUSTOMERS.a2, owed)
    const reserve = 'update customer_residuals set reserved_micro = $2 where customer_id = $1'
    await db.query(reserve, [CUSTOMERS.a2, reserved])
    assert.match(JSON.parse((await settle(CUSTOMERS.a2)).stdout).error.message, says)
    await db.query(reserve, [CUSTOMERS.a2, 0n])
  }
  await owe(CUSTOMERS.a2, 10_001n)
  await owe(CUSTOMERS.b1, 50_000n)
  const { code, stdout } = await settle(CUSTOMERS.a2)
  assert.equal(code, 0)
  const { payoutId, status, payout } = JSON.parse(stdout)
  assert.equal(status, 'queued')
  assert.deepEqual(
    [payout.payoutId, payout.amountMyr, payout.customerId, payout.integrationId, payout.referenceId],
    [payoutId, '0.01', CUSTOMERS.a2, INTEGRATIONS.a, `${CUSTOMERS.a2}/1`],
  )
  assert.equal((await settle(CUSTOMERS.a2)).code, 1)
  assert.match((await coin.cli(['payout', 'refund', payoutId])).stderr, /no coin to mint back/)
  const [logged] = (await coin.call('GET', `/audit?target=${CUSTOMERS.a2}`)).body.entries
  assert.deepEqual(
    [logged.action, logged.details.payoutId, logged.details.amountMyr],
    ['payout.settle-residual', payoutId, '0.01'],
  )
})

it('more than can have been left over is not paid, and the answer says what is wrong', async () => {
  const own = await asRole(db, 'operator')
  const api = await startOperator({ db: { ...own, url: undefined }, chains: [] })
  try {
    await owe(CUSTOMERS.a2, 50_000_000n)
    const { status, body } = await api.call('POST', '/payouts/settle-residual', { customerId: CUSTOMERS.a2 })
    assert.equal(status, 409)
    assert.match(body.error.message, /^RM 50\.00 is recorded as owed to .* somebody has changed it past the service\./)
    const [left] = await db.query('select owed_micro as owed from customer_residuals where customer_id = $1', [
      CUSTOMERS.a2,
    ])
    assert.deepEqual(left, { owed: 50_000_000n })
  } finally {
    await owe(CUSTOMERS.a2, 0n)
    await api.close()
    await own.close()
  }
})

it('with four eyes somebody else approves what is paid, and more than that is not paid', async () => {
  const people = [await coin.person('treasury'), await coin.person('treasury')]
  const two = await startOperator({ db, chains: [], fourEyes: true })
  try {
    const [one, other] = people.map(({ token }) => ({
      call: (method: 'POST', target: string, body: object, headers = {}) =>
        two.call(method, target, body, { authorization: `Bearer ${token}`, ...headers }),
    }))
    assert.ok(one && other)
    const body = { customerId: CUSTOMERS.b1 }
    const path = '/payouts/settle-residual'
    const approve = async () => {
      const { status, body: waiting } = await one.call('POST', path, body)
      assert.equal(status, 202, JSON.stringify(waiting))
      assert.equal((await other.call('POST', `/approvals/${waiting.approvalId}/approve`, {})).status, 200)
      return { 'x-approval': waiting.approvalId as string }
    }
    await owe(CUSTOMERS.b1, 20_000n)
    const void_ = await approve()
    await owe(CUSTOMERS.b1, 30_000n)
    assert.equal((await one.call('POST', path, body, void_)).status, 409)
    const approval = await approve()
    await owe(CUSTOMERS.b1, 30_001n)
    assert.equal((await one.call('POST', path, body, approval)).body.payout.amountMyr, '0.03')
    await owe(CUSTOMERS.b1, 30_001n)
    assert.equal((await one.call('POST', path, body, approval)).status, 409)

    // A refund locks the customer, then what they are owed: whoever comes the other way round would never end.
    const last = await approve()
    const settling = await db.transaction(async (tx) => {
      await lockCustomer(tx, CUSTOMERS.b1)
      const ended = one.call('POST', path, body, last)
      await waitFor('the settling waits', isSomebodyWaiting)
      await tx.query('select from customer_residuals where customer_id = $1 for update nowait', [CUSTOMERS.b1])
      return { ended }
    })
    assert.equal((await settling.ended).body.payout.amountMyr, '0.03')
  } finally {
    await two.close()
  }
})

it('commands that are named in what is said of a payout take what is written behind them', () => {
  const noun = new Command('payout')
  register(noun)
  for (const [verb, takes] of Object.entries(PAYOUT_TAKES)) {
    const { options = [] } = noun.commands.find((each) => each.name() === verb) ?? {}
    // Without these it is refused as soon as there were several.
    const mandatory = options
      .filter(({ mandatory: must, long }) => must || long === '--payment' || long === '--held')
      .map(({ long }) => ` ${long} …`)
    assert.equal(takes, mandatory.join(''), verb)
  }
})
