// engine: postgres
/** After a restore: a payout that the lost history had retried is not minted back, as far as a statement or the folder shows that, but retried again. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { pino } from 'pino'
import { endToEndIdOf } from '../../src/bank-files/end-to-end-id.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { claimSentPayments } from '../../src/payouts/claims.sql.ts'
import { createPayer } from '../../src/payouts/payer.ts'
import type { RailStatus } from '../../src/payouts/rail.ts'
import { markRejected, markReturned } from '../../src/payouts/record-news.ts'
import { claimCameBack, noteUnretried } from '../../src/payouts/unretried.sql.ts'
import { askAboutRetries } from '../../src/payouts/unretried.ts'
import { importFile } from '../../src/statements/import.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { DEBTOR } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { believeBurns } from '../support/believed-burns.ts'
import { claimPayouts } from '../support/claim-payouts.ts'
import { asRole } from '../support/database.ts'
import { writeStatement } from '../support/fake-bank/messages.ts'
import { waitFor } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
before(async () => {
  world = await createBankWorld()
  await believeBurns(world.db)
  api = await startOperator({ db: world.db, bank: (file) => importFile(world.importDeps, file) })
})
after(async () => {
  await api.close()
  await world.close()
})

/** A payout that its rail has refused, or whose payment came back, and the id of the payment that a retry makes. */
async function refused(mark: typeof markRejected | typeof markReturned = markRejected) {
  const { payoutId, referenceId } = await world.burntRedeem('10')
  await world.payDue()
  const refusal = { reason: 'account closed', effectiveAt: world.clock.now, bankAccount: 'bank_files', reference: 'R' }
  await world.db.transaction((tx) => mark(tx, { payoutId, attempt: 1 }, refusal))
  const [next, third, last] = [2, 3, 6].map((attempt) =>
    endToEndIdOf({ integrationId: world.integrationId, referenceId, attempt }),
  )
  return { payoutId, next: next ?? '', third, last, refund: () => api.cli(['payout', 'refund', payoutId]) }
}

/** Its rail is asked for the second payment of a payout, and refuses it. */
async function refuseNext(payoutId: string) {
  await claimPayouts(world.db, { rail: 'http', limit: 100, claimMs: 60_000, fromBefore: [payoutId] })
  const refusal = { reason: 'account closed', effectiveAt: world.clock.now }
  await world.db.transaction((tx) => markRejected(tx, { payoutId, attempt: 2 }, refusal))
}

test('on a statement: a debit under the id of the next payment', async () => {
  const { payoutId, next, refund } = await refused()
  const [other, cameBack] = [await refused(), await refused(markReturned)]
  const day = '2026-11-21'
  const xml = writeStatement({
    messageId: 'M1',
    statementId: 'S1',
    createdAt: `${day}T18:00:00+08:00`,
    account: DEBTOR.account,
    openedOn: day,
    openingSen: 100_000n,
    closedOn: day,
    closingSen: 98_000n,
    lines: [
      { credit: false, amountSen: 1_000n, endToEndId: next, day, reference: 'R1' },
      { credit: false, amountSen: 1_000n, endToEndId: cameBack.next, day, reference: 'R2' },
    ],
  })
  assert.equal((await world.importXml(xml)).taken.result, 'applied')
  const { code, stderr } = await refund()
  assert.equal(code, 1)
  assert.match(
    stderr,
    new RegExp(`^${next} is a payment of ${payoutId} .* \\(the debit main/S1/1\\.1\\): a history that is lost`),
  )
  assert.match((await cameBack.refund()).stderr, /\(the debit main\/S1\/2\.1\): a history that is lost/)
  // Who would pay it by hand is told, and not refused: so somebody may record that it was made.
  for (const each of [payoutId, cameBack.payoutId])
    assert.match((await api.run('payout', 'show', each)).payout.beware, /a history that is lost has retried it/)
  assert.equal((await api.run('payout', 'show', other.payoutId)).payout.beware, undefined)
  assert.equal((await other.refund()).code, 0, 'of another payout there is none')
  assert.equal((await api.cli(['payout', 'retry', payoutId])).code, 0)
  await world.payDue()
  assert.equal(await world.payoutStatus(payoutId), 'sent')
})

test('in the folder: a payment file that was read back', async () => {
  const first = await refused()
  const { payoutId: filed } = await world.burntRedeem('10')
  await world.payDue()
  const [put] = (await world.file()).files
  // As a read-back leaves what the lost history had filed.
  await withoutGuards(world.db, (tx) =>
    tx.query('update filed_payments set end_to_end_id = $2, payout_id = null where payout_id = $1', [
      filed,
      first.next,
    ]),
  )
  const { code, stderr } = await first.refund()
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^${first.next} is a payment of ${first.payoutId} .* \\(in ${put}\\)`))
  assert.equal((await api.cli(['payout', 'retry', first.payoutId])).code, 0)
})

test('where no statement can show it yet: a payout that came back before the database was restored, of a rail that has not been asked since', async () => {
  const [held, retried, folder] = [await refused(), await refused(), await refused()]
  // As if the database had been another when they came back; what payment files had is read back.
  const before = (rail: string, payoutIds: readonly string[]) =>
    withoutGuards(world.db, async (tx) => {
      await tx.query(`update payout_attempts set asked_on = 'before', rail = $1 where payout_id = any ($2::text[])`, [
        rail,
        payoutIds,
      ])
      await tx.query(`update payouts set made_on = 'before' where payout_id = any ($1::text[])`, [payoutIds])
    })
  await before('http', [held.payoutId, retried.payoutId])
  await before('bank_files', [folder.payoutId])
  const [timeline] = await world.db.query<{ day: string }>(
    `update database_timelines set created_at = '2026-11-22T09:00:00+08:00' returning '2026-11-22' as day`,
  )
  assert.equal(timeline?.day, '2026-11-22')
  for (const { refund, payoutId } of [held, retried]) {
    const { code, stderr } = await refund()
    assert.equal(code, 1)
    assert.match(
      stderr,
      new RegExp(`^${payoutId} came back, or was queued, before .* a statement of a day after 2026-11-22`),
    )
  }
  assert.match((await api.run('payout', 'show', held.payoutId)).payout.beware, /what it has lost may have had it paid/)
  assert.equal((await folder.refund()).code, 0)
  // Its rail is asked again, and refuses it again: the lost history may have had it retried once more.
  assert.equal((await api.cli(['payout', 'retry', retried.payoutId])).code, 0)
  await refuseNext(retried.payoutId)
  assert.equal((await retried.refund()).code, 1)
  for (const [day, code] of [
    ['2026-11-22', 1],
    ['2026-11-23', 0],
  ] as const) {
    const named = { messageId: day, statementId: day, createdAt: `${day}T18:00:00+08:00`, account: DEBTOR.account }
    const balances = { openedOn: day, openingSen: 98_000n, closedOn: day, closingSen: 98_000n }
    assert.equal((await world.importXml(writeStatement({ ...named, ...balances, lines: [] }))).taken.result, 'applied')
    for (const { refund } of [held, retried]) assert.equal((await refund()).code, code, day)
  }
})

test('of a rail that can be asked whether it has a later payment, and pays nothing for that', async (t) => {
  const [free, paid, unsure, other] = [await refused(), await refused(), await refused(), await refused()]
  const ids = [free, paid, unsure, other].map(({ payoutId }) => payoutId)
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = any ($1::text[])`, [
      ids,
    ])
    await tx.query(`update payout_attempts set rail = 'another' where payout_id = $1`, [other.payoutId])
    // No statement shows anything of the day.
    await tx.query('update database_timelines set created_at = now()')
  })
  const asked: string[] = []
  const rail = {
    name: 'http',
    initiate: () => Promise.reject(new Error('nobody pays')),
    status: async ({ payoutId, endToEndId }: { payoutId: string; endToEndId: string }): Promise<RailStatus> => {
      asked.push(endToEndId)
      if (payoutId === paid.payoutId && endToEndId === paid.third) return { result: 'accepted', railReference: 'R9' }
      return payoutId === unsure.payoutId ? { result: 'unknown', reason: 'no answer' } : { result: 'none' }
    },
  }
  const told: string[] = []
  const logger = pino({}, { write: (line: string) => void told.push(line) })
  await applyGrants(world.db, ['payer'], false)
  const payers = await asRole(world.db, 'payer')
  t.after(() => payers.close())
  const ask = () => askAboutRetries({ db: payers, rail, logger })
  assert.equal(await ask(), 0, 'what the lost history was about to ask may not have come there yet')
  const later = (of: string) => `update ${of} set created_at = now() - interval '11 minutes'`
  await withoutGuards(world.db, (tx) => tx.query(later('database_timelines')))
  await ask()
  for (const { next } of [free, paid, unsure]) assert.ok(asked.includes(next))
  assert.ok(!asked.includes(other.next), 'only what it was asked for')
  assert.equal(await ask(), 0, 'and not again at once')
  for (const { refund, payoutId } of [paid, unsure, other])
    assert.match((await refund()).stderr, new RegExp(`^${payoutId} came back, or was queued, before`))
  assert.equal((await free.refund()).code, 0)
  assert.ok(told.some((line) => line.includes(paid.payoutId) && line.includes('Run \\"coin payout retry\\"')))
  const swept = await refused()
  await withoutGuards(world.db, (tx) =>
    tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = $1`, [swept.payoutId]),
  )
  const { promise, resolve } = Promise.withResolvers<void>()
  const heard = {
    ...rail,
    status(payment: { payoutId: string; endToEndId: string }) {
      if (payment.endToEndId === swept.last) resolve()
      return rail.status(payment)
    },
  }
  const payer = createPayer({ db: payers, rail: heard, secrets: TEST_SECRETS, logger })
  payer.start()
  await promise
  await payer.stop()
  assert.equal((await swept.refund()).code, 0, 'payers ask by themselves')
  // Restored once more, that says nothing.
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payouts set unretried_on = 'before' where payout_id = $1`, [free.payoutId])
    await tx.query(`update orders set status = 'failed', failure_reason = 'x' where integration_id = 'refunds'`)
  })
  assert.match((await free.refund()).stderr, /came back, or was queued, before/)
})

test('also of what was queued before the database was restored, and whose rail was asked here first: it was minted back beside what the lost history had had paid', async () => {
  const [queued, burnt, signed] = [await refused(), await refused(markReturned), await refused()]
  const [ahead, here] = [await refused(), await refused()]
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set rail = 'http'`)
    await tx.query(`update payouts set made_on = 'before' where payout_id = $1`, [queued.payoutId])
    // Burnt by a batch that only the lost history knew: its payout was queued here again.
    await tx.query(
      `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded, order_id)
       select o.chain_id, o.batch_id, o.batch_index, '0x0000000000000001', 'REDEEM', o.wallet_address, o.debit_address, o.amount_micro, true, o.order_id
       from payouts p join orders o using (order_id) where p.payout_id = $1`,
      [burnt.payoutId],
    )
    // Burnt by a batch that the backup had as signed.
    await tx.query(
      `update batches b set created_at = now() - interval '1 hour' from payouts p join orders o using (order_id)
       where p.payout_id = $1 and b.chain_id = o.chain_id and b.batch_id = o.batch_id`,
      [signed.payoutId],
    )
    // The same, where the clock of the server that was lost was ahead.
    await tx.query(
      `update batches b set signed_on = 'before', created_at = now() + interval '8 hours' from payouts p join orders o using (order_id)
       where p.payout_id = $1 and b.chain_id = o.chain_id and b.batch_id = o.batch_id`,
      [ahead.payoutId],
    )
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  for (const { payoutId, refund } of [queued, burnt, signed, ahead]) {
    const { code, stderr } = await refund()
    assert.equal(code, 1)
    const said =
      payoutId === burnt.payoutId
        ? 'pays for coin that a batch which this database did not make has burnt: where that is of a history which a restore has lost, that may have had it paid again'
        : 'came back, or was queued, before .* what it has lost may have had it paid again'
    assert.match(stderr, new RegExp(`^${payoutId} ${said}`))
  }
  assert.equal((await here.refund()).code, 0)
  const claimed = await claimCameBack(world.db, 'http', 100)
  for (const { payoutId, refund } of [queued, burnt, signed, ahead]) {
    const own = claimed.find((each) => each.payoutId === payoutId)
    assert.ok(own)
    await noteUnretried(world.db, own)
    assert.equal((await refund()).code, 0, 'its rail has no later payment')
  }
})

test('also of what was to be paid again before the database was restored, and whose next payment was asked for here first', async () => {
  const { payoutId, refund } = await refused()
  assert.equal((await api.cli(['payout', 'retry', payoutId])).code, 0)
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = $1`, [payoutId])
    await tx.query(`update payouts set made_on = 'before' where payout_id = $1`, [payoutId])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  // Its rail says again what the lost history heard, and had it paid once more then.
  await refuseNext(payoutId)
  const { code, stderr } = await refund()
  assert.equal(code, 1)
  assert.match(stderr, new RegExp(`^${payoutId} .* what it has lost may have had it paid again`))
  const own = (await claimCameBack(world.db, 'http', 100)).find((each) => each.payoutId === payoutId)
  assert.equal(own?.attempt, 2)
  await noteUnretried(world.db, own ?? assert.fail())
  assert.equal((await refund()).code, 0, 'its rail has no later payment')
})

test('also at once of a payment that its rail had for days, and was asked about ever less often', async () => {
  const { payoutId } = await world.burntRedeem('10')
  await world.payDue()
  await withoutGuards(world.db, (tx) =>
    tx.query(
      `update payouts set status_since = now() - interval '5 days', next_attempt_at = now() where payout_id = $1`,
      [payoutId],
    ),
  )
  const asked = await claimSentPayments(world.db, 'bank_files', 100)
  assert.ok(asked.some((each) => each.payoutId === payoutId))
  const line = { reason: 'account closed', effectiveAt: world.clock.now, bankAccount: 'main', reference: 'R' }
  await world.db.transaction((tx) => markReturned(tx, { payoutId, attempt: 1 }, line))
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = $1`, [payoutId])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  const claimed = await claimCameBack(world.db, 'http', 100)
  assert.ok(claimed.some((each) => each.payoutId === payoutId))
})

test('what a rail has said of a history that was lost since says nothing', async () => {
  const { payoutId, refund } = await refused()
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = $1`, [payoutId])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  const claimed = (await claimCameBack(world.db, 'http', 100)).find((each) => each.payoutId === payoutId)
  assert.ok(claimed)
  await noteUnretried(world.db, { ...claimed, timeline: 'before it was restored' })
  assert.match((await refund()).stderr, /came back, or was queued, before/)
  await noteUnretried(world.db, claimed)
  assert.equal((await refund()).code, 0)
})

test('a payment that its rail has because operators have retried it meanwhile is none of a lost history', async () => {
  const { payoutId, next, refund } = await refused()
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = $1`, [payoutId])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  const told: string[] = []
  const logger = pino({}, { write: (line: string) => void told.push(line) })
  const ask = (retry: () => Promise<unknown>) =>
    askAboutRetries({
      db: world.db,
      logger,
      rail: {
        name: 'http',
        initiate: () => Promise.reject(new Error('nobody pays')),
        status: async ({ endToEndId }: { endToEndId: string }): Promise<RailStatus> => {
          if (endToEndId !== next) return { result: 'none' }
          await retry()
          return { result: 'accepted', railReference: 'R9' }
        },
      },
    })
  const dueAgain = () => world.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
  await dueAgain()
  await ask(() => Promise.resolve())
  assert.equal(told.filter((line) => line.includes(payoutId)).length, 1, 'nobody here has retried it')
  await dueAgain()
  await ask(async () => assert.equal((await api.cli(['payout', 'retry', payoutId])).code, 0))
  assert.equal(told.filter((line) => line.includes(payoutId)).length, 1)
  assert.equal((await refund()).code, 1)
})

test('payers ask about all of them in one go, as after a bank has given back hundreds', async (t) => {
  const many: Awaited<ReturnType<typeof refused>>[] = []
  for (let made = 0; made < 17; made += 1) many.push(await refused())
  const open = new Set(many.map(({ last }) => last))
  await withoutGuards(world.db, async (tx) => {
    const ids = many.map(({ payoutId }) => payoutId)
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = any ($1::text[])`, [
      ids,
    ])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  const rail = {
    name: 'http',
    initiate: () => Promise.reject(new Error('nobody pays')),
    async status({ endToEndId }: { endToEndId: string }): Promise<RailStatus> {
      open.delete(endToEndId)
      return { result: 'none' }
    },
  }
  const logger = pino({ level: 'silent' })
  const payer = createPayer({ db: world.db, rail, secrets: TEST_SECRETS, logger, tendMs: 3_600_000 })
  t.after(() => payer.stop())
  payer.start()
  await waitFor('all of them to be asked about', () => open.size === 0)
})

test('what was sent is asked about also while a rail that is slow says nothing of hundreds that came back', async (t) => {
  const cameBack: string[] = []
  for (let made = 0; made < 16; made += 1) cameBack.push((await refused()).payoutId)
  const { payoutId: sent } = await world.burntRedeem('10')
  await world.payDue()
  const askAgain = (payoutId: string) =>
    world.db.query('update payouts set next_attempt_at = now() where payout_id = $1', [payoutId])
  await withoutGuards(world.db, async (tx) => {
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = any ($1::text[])`, [
      cameBack,
    ])
    await tx.query(`update payouts set rail = 'http' where payout_id = $1`, [sent])
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  let silent = 0
  let ofSent = 0
  const rail = {
    name: 'http',
    initiate: () => Promise.reject(new Error('nobody pays')),
    async status({ payoutId }: { payoutId: string }): Promise<RailStatus> {
      if (payoutId === sent) ofSent += 1
      else if (cameBack.includes(payoutId)) {
        silent += 1
        // By the time that it has said nothing of the last of them, it may be asked about the first again.
        await askAgain(payoutId)
      }
      return { result: 'unknown', reason: 'no answer within 10 s' }
    },
  }
  const logger = pino({ level: 'silent' })
  const payer = createPayer({ db: world.db, rail, secrets: TEST_SECRETS, logger, pollMs: 10, tendMs: 20 })
  t.after(async () => {
    await payer.stop()
    await world.db.query(`update payouts set next_attempt_at = now() + interval '1 hour' where payout_id = any ($1)`, [
      [...cameBack, sent],
    ])
  })
  payer.start()
  await waitFor('those that came back to be asked about again and again', () => silent > 64)
  const before = ofSent
  await askAgain(sent)
  await waitFor('what was sent to be asked about', () => ofSent > before)
})

test('a payer that stops asks no more, and what is left is asked about later', async (t) => {
  const [one, other] = [await refused(), await refused()]
  await withoutGuards(world.db, async (tx) => {
    const ids = [one.payoutId, other.payoutId]
    await tx.query(`update payout_attempts set asked_on = 'before', rail = 'http' where payout_id = any ($1::text[])`, [
      ids,
    ])
    // Those of other tests are not asked about beside them.
    await tx.query(
      `update payouts set next_attempt_at = now() + interval '1 hour' where payout_id <> all ($1::text[])`,
      [ids],
    )
    await tx.query(`update database_timelines set created_at = now() - interval '11 minutes'`)
  })
  await applyGrants(world.db, ['payer'], false)
  const payers = await asRole(world.db, 'payer')
  t.after(() => payers.close())
  const asked: string[] = []
  const bothAsked = Promise.withResolvers<void>()
  const answer = Promise.withResolvers<RailStatus>()
  const rail = {
    name: 'http',
    initiate: () => Promise.reject(new Error('nobody pays')),
    status: async ({ endToEndId }: { endToEndId: string }) => {
      if (asked.push(endToEndId) === 2) bothAsked.resolve()
      return await answer.promise
    },
  }
  const payer = createPayer({ db: payers, rail, secrets: TEST_SECRETS, logger: pino({ level: 'silent' }) })
  payer.start()
  await bothAsked.promise
  const stopped = payer.stop()
  answer.resolve({ result: 'none' })
  await stopped
  assert.equal(asked.length, 2)
  for (const { refund } of [one, other]) assert.match((await refund()).stderr, /came back, or was queued, before/)
})
