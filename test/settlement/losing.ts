/** Operators who call the chain of a test lost, or found, with four eyes, and what a settler makes of it. */
import assert from 'node:assert/strict'
import { connectChain } from '../../src/chain/chain.ts'
import { ROLES } from '../../src/config.ts'
import { applyGrants } from '../../src/db/grants.ts'
import { acquireLease, releaseLease } from '../../src/leases/leases.sql.ts'
import { endOnLostChains } from '../../src/settlement/lost/lost-loop.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { type Person, startOperator } from '../operator/fixture.ts'
import { addBatchRow, someBatchId } from '../support/batch-rows.ts'
import { asRole, type TestDatabase } from '../support/database.ts'
import { silent } from './fixture.ts'
import { CHAIN } from './repairing.ts'
import { NEVER, type Stepped } from './stepped.ts'

/** Nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

/** Nobody has seen anything of the chain for so long, by the database's clock. */
export const seenAgo = (s: Stepped, ago: string) =>
  s.db.query('update chains set observed_at = now() - $2::text::interval where chain_id = $1', [CHAIN, ago])

/** Two people of treasury over nodes that show the chain, or show nothing of it. */
export async function startLosers(s: Stepped, t: { after(fn: () => Promise<void>): void }, isThere = false) {
  await applyGrants(s.db, ROLES, false)
  const db = (await asRole(s.db, 'operator')) as TestDatabase
  const config = isThere ? s.config : { ...s.config, rpcUrls: [NOWHERE] }
  const chains = [connectChain(config, { db, logger: silent })]
  const alone = await startOperator({ db, chains })
  const [one, two] = [await alone.person('treasury'), await alone.person('treasury')]
  await alone.close()
  const coin = await startOperator({ db, chains, fourEyes: true })
  t.after(async () => {
    await coin.close()
    await db.close()
  })
  const as = ({ token }: Person, target: string, body: object, under = {}) =>
    coin.call('POST', target, body, { authorization: `Bearer ${token}`, ...under })
  const run = async (person: Person, target: string, body: object, other: Person) => {
    const asked = await as(person, target, body)
    assert.equal(asked.status, 202, JSON.stringify(asked.body))
    const { approvalId } = asked.body
    assert.equal((await as(other, `/approvals/${approvalId}/approve`, {})).status, 200)
    const done = await as(person, target, body, { 'x-approval': approvalId })
    assert.equal(done.status, 200, JSON.stringify(done.body))
    return done.body
  }
  const bodyOf = { chainId: CHAIN, reason: 'its nodes are switched off' }
  return {
    coin,
    one: (target: string, body: object, under = {}) => as(one, target, body, under),
    approve: (approvalId: string) => as(two, `/approvals/${approvalId}/approve`, {}),
    ask: (verb: 'lost' | 'found') => as(one, `/chains/${verb}`, bodyOf),
    /** One asks and the other approves. */
    byTwo: (verb: 'lost' | 'found') => run(one, `/chains/${verb}`, bodyOf, two),
    alone: (target: string, body: object) => run(one, target, body, two),
  }
}

/** The chain is called lost. */
export async function lose(s: Stepped, t: { after(fn: () => Promise<void>): void }) {
  await seenAgo(s, '2 days')
  const losers = await startLosers(s, t)
  await losers.byTwo('lost')
  return losers
}

/** What a settler does about lost chains, with the login of its own role; the one that worked with the chain has given its lease back. */
export async function endAll(s: Stepped): Promise<void> {
  const db = await asRole(s.db, 'settler')
  await releaseLease(s.db, s.work.lease)
  const unended = new Map()
  try {
    while (await endOnLostChains({ db, logger: s.work.logger, holder: 'another', times: NEVER }, unended));
  } finally {
    await db.close()
  }
}

/** The chain is called found; nodes show it. */
export async function findAgain(s: Stepped, t: { after(fn: () => Promise<void>): void }) {
  const operators = await startLosers(s, t, true)
  await operators.byTwo('found')
  await s.forget()
  const lease = await acquireLease(s.db, `settlement:${CHAIN}`, 'stepped', NEVER.leaseMs)
  assert.ok(lease)
  s.work.lease = lease
  return operators
}

/** The differences of these kinds. */
export async function namedBy(
  { coin }: Awaited<ReturnType<typeof startLosers>>,
  kinds: readonly string[] = ['ended_order', 'foreign_batch', 'supply'],
) {
  const { differences } = (await coin.call('GET', '/reconcile')).body
  return (differences as { kind: string; subject: string; message: string }[]).filter(({ kind }) =>
    kinds.includes(kind),
  )
}

/** The tag of an order by its name. */
export function tagOf(name: string): `0x${string}` {
  const [integrationId = '', ...rest] = name.split('/')
  return orderTag(integrationId, rest.join('/'))
}

/** A batch that a lost history had made, final and read, with the tag of an order that was posted again. */
export async function settledBefore(
  s: Stepped,
  name: string,
  did: { direction: string; to: string; amountMicro: bigint },
  batchId = someBatchId(),
) {
  const { direction, to, amountMicro } = did
  await addBatchRow(s.db, { chainId: CHAIN, batchId, status: 'final', isForeign: true, orderIds: [] })
  await s.db.query(
    `insert into foreign_instructions (chain_id, batch_id, instruction_index, tag, direction, wallet_address, debit_address, amount_micro, succeeded)
     values ($1, $2, 0, $3, $4, $5, $6, $7, true)`,
    [CHAIN, batchId, tagOf(name), direction, to, direction === 'REDEEM' ? to : null, amountMicro],
  )
}
