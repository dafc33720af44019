/** Whether a life is right at its end, when nothing is wrong any more and everything had its time. */
import assert from 'node:assert/strict'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { findWrongEarmarks } from '../../src/operator/reconcile/findings.sql.ts'
import { checkBooks } from '../../src/operator/reconcile/turns.ts'
import { checkUsage } from '../../src/operator/reconcile/usage.ts'
import { sealBooks } from '../support/seal-books.ts'
import { walletOf } from './contracts.ts'
import { doneOn, NOTHING } from './done.ts'
import { judgeSupply, readMadeGood } from './fickle.ts'
import { LOOT_MICRO } from './happenings.ts'
import { judgeTorn } from './judge-torn.ts'
import { type Asked, WALLETS } from './orders.ts'
import type { World } from './world.ts'

/** What operators are told when a batch that was final is executed once more and does something else; or never will be, and only mints of it are made good here. */
const OTHERWISE = /another outcome/
export const GIVEN_UP = /were given up/
/** What a life does not do: its ledger is sealed at its end, and orders settle without their fee. */
const LEFT_OUT = ['unsealed', 'fees']

export async function judgeEnd(world: World): Promise<void> {
  const { db, config, blocks, traits } = world
  const [hold] = await db.query<{ reason: string; details: string | null }>(
    'select reason, details from settlement_holds where chain_id = $1',
    [config.chainId],
  )
  await judgeOrders(world, `; what holds the chain: ${hold?.reason} ${hold?.details ?? ''}`)
  if (world.torn !== undefined) await judgeTorn(world)
  else if (traits.isFickle) await judgeSupply(db, blocks.newest().state.supply)
  else judgeCoin(world)
  assert.equal(hold?.reason, 'none', 'nothing holds the chain at the end')
  await judgeBooks(world)
}

/** Every order has ended, once, and what it says is what the chain has done; or somebody was told that it is not. */
async function judgeOrders({ db, config, blocks, orders, lines, traits, torn }: World, held: string): Promise<void> {
  const done = doneOn(blocks.all())
  const known = await orders.read()
  const burnt = new Set((await db.query<{ id: bigint }>('select order_id as id from payouts')).map(({ id }) => id))
  const isMadeGood = traits.isFickle ? await readMadeGood(db, config.chainId) : () => false
  const isSaid = (words: RegExp) => traits.hasDeep && !traits.isFickle && lines.some(({ msg }) => words.test(msg))
  const [isOtherwise, isGivenUp] = [isSaid(OTHERWISE), isSaid(GIVEN_UP)]
  for (const order of orders.asked) {
    const name = orders.nameOf(order)
    const { times } = done.get(order.tag) ?? NOTHING
    const found = known.get(name)
    // What was rejected is not posted again.
    const isExcused = torn?.isExcused(order.tag) === true
    if (found === undefined) {
      const isOver = order.isRejected || (torn !== undefined && order.told === 'failed')
      assert.ok(isOver && (times === 0 || isExcused), `${name} is gone, carried out ${times} times`)
    } else {
      const isOpen = found.status === 'pending' || (found.status === 'processing' && !burnt.has(found.orderId))
      assert.ok(!isOpen, `${name} is ${found.status}${held}`)
      const isGone = found.status !== 'failed'
      const mayDiffer = isExcused || isMadeGood(order) || isOtherwise || (isGivenUp && order.direction !== 'MINT')
      assert.ok(
        mayDiffer || times === (isGone ? 1 : 0),
        `${name} is ${found.status}, and was carried out ${times} times`,
      )
    }
  }
  const ends = await db.query(
    `select integration_id, reference_id from events where type not like '%pending' group by 1, 2 having count(*) > 1`,
  )
  assert.deepEqual(ends, [], 'each order ends once')
}

/** Coin and balances are what the instructions that were carried out come to. */
function judgeCoin({ blocks, orders }: World): void {
  const done = doneOn(blocks.all())
  const { state } = blocks.newest()
  const balances = new Map<string, bigint>(WALLETS.map((each) => [each, 0n]))
  let supply = 0n
  const add = (address: string, micro: bigint) => balances.set(address, (balances.get(address) ?? 0n) + micro)
  const count = ({ to, from, amountMicro }: Asked) => {
    if (to !== undefined) add(to, amountMicro)
    if (from !== undefined) add(from, -amountMicro)
    supply += (to === undefined ? 0n : amountMicro) - (from === undefined ? 0n : amountMicro)
  }
  for (const order of orders.asked) if ((done.get(order.tag) ?? NOTHING).times === 1) count(order)
  const own = new Set(orders.asked.map(({ tag }) => tag))
  const thefts = [...done].filter(([tag, { times }]) => times > 0 && !own.has(tag)).length
  assert.equal(state.supply, supply + LOOT_MICRO * BigInt(thefts), 'the supply')
  for (const [address, micro] of balances) assert.equal(walletOf(state, address).micro, micro, `balance of ${address}`)
}

async function judgeBooks({ db }: World): Promise<void> {
  assert.deepEqual(await findWrongEarmarks(db), [])
  assert.deepEqual(Object.values(await checkUsage(db)).flat(), [])
  assert.deepEqual(
    (await checkBooks(db)).filter(({ what }) => !LEFT_OUT.includes(what)),
    [],
  )
  while ((await sealBooks(db, 500)).sealed > 0);
  assert.equal((await verifyLedger(db)).firstBad, null)
}
