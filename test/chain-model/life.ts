/** A life of a chain and of the settlers of it: some minutes of faults, and the end, when the faults are over and everything settles. */
import type { Signer } from '../../src/chain/signer.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { seedParties } from '../settlement/fixture.ts'
import { asRole, createTestDatabase } from '../support/database.ts'
import { createRandom } from '../support/random.ts'
import { MODEL_CHAIN_ID } from './blocks.ts'
import { COIN, SETTLEMENT } from './contracts.ts'
import { beginTimeline, type Copy, createCopying, endTimeline } from './copies.ts'
import { describe } from './describe.ts'
import { createFaults, isAway } from './faults.ts'
import { createFickle, type Fickle } from './fickle.ts'
import { areAnyLost, countRemints, giveUpReplaced, makeGoodLost } from './give-up.ts'
import { createHappenings } from './happenings.ts'
import { judgeMoment, judgeWaiting } from './judge.ts'
import { GIVEN_UP, judgeEnd } from './judge-end.ts'
import { createNetwork, GWEI } from './network.ts'
import { createOrders, WALLETS } from './orders.ts'
import { createPaying } from './paying.ts'
import { createRefunds, type Refunds } from './refunds.ts'
import { createSettlers, SIGNERS } from './settlers.ts'
import { createClock, takingTurns } from './time.ts'
import { createTorn, type Torn } from './torn.ts'
import type { World } from './world.ts'

const STEPS = 45
const PAID_STEPS = 90
/** So many, of which the first have no restore, that orders are made good before one. */
const [TORN_STEPS, UNBROKEN] = [60, 26]
/** Where a bank pays, too, so many, and the newest backups of these. */
const [PAID_TORN_STEPS, PAID_UNBROKEN, PAID_BACKUPS] = [80, 12, 3]
/** Rounds after the faults in which everything must have settled; and those in which what was final is looked for again. */
const MOST_ROUNDS = 60
const LEAST_ROUNDS = 7
const ROUNDS_AFTER = { hasDeep: 24, other: 14 }
/** For so long nobody has settled where a settler sees by that alone that the database may be an older copy. */
const GAP_MS = 600_000
/** Of what happened last an error is made. */
const TOLD_LAST = 70
const { CHAIN_TOLD = String(TOLD_LAST) } = process.env

/** What nodes and thieves do to final batches, in most lives and in harsh ones. */
const MILD = { weights: { deep: 3, steal: 2, fickle: 0 }, kept: 0.6 }
const HARSH = { weights: { deep: 10, steal: 10, fickle: 0 }, kept: 0.15 }
/** The same batches are executed again, with wallets frozen that were not, or the other way round. */
const FICKLE = { weights: { deep: 2, steal: 0, fickle: 12 }, kept: 0.9 }
/** So often that payouts, of which there are few, are come upon. */
const REFUSED = { weights: { deep: 2, steal: 0, fickle: 50 }, kept: 0.9 }
/** Less often, so that payouts live as long as what banks and people do with them takes. */
const PAID = { weights: { deep: 2, steal: 0, fickle: 25 }, kept: 0.9 }
/** Seldom: what a bank has paid, and a restore forgets, is what these lives are about. */
const PAID_TORN = { weights: { deep: 0, steal: 0, fickle: 0 }, kept: 0.95 }
/** So often that more of that is done before a restore, and between restores. */
const TORN = { weights: { deep: 1, steal: 0, fickle: 16 }, kept: 0.95 }

/** `givenUp`: how often settlers gave batches up, as operators had said of them; `remints`: lost orders that were minted again by the end. */
export type Lived = {
  orders: number
  restores: number
  reorganisations: number
  deep: number
  lines: number
  givenUp: { replaced: number; gone: number }
  remints: number
  /** What people did about batches that were executed again with another outcome. */
  fickle: Fickle['count']
  refunds: Refunds['count'] | undefined
  /** What people did with payouts that a bank pays, and what statements have shown. */
  paying: Readonly<Record<string, number>> | undefined
  /** And about what restores have left. */
  torn: Torn['count'] | undefined
}

/**
 * Plays a life, the same for the same seed. @throws what the judge found, with what happened before it
 * @param isAlone there is one signer, so that nobody else carries what it cannot
 * @param isWorst a thief, deep reorganisations and restores are in it, whatever its seed says
 * @param isHarsh they are, too, and more often; what is taken back is seldom kept, so that final batches are lost for good
 * @param isFickle there are deep reorganisations, and wallets are frozen and freed, so that final batches are executed again with another outcome;
 *   people make good what comes of that
 * @param isRefused a fickle one, in which banks refuse payouts, and people have them paid again, or their coin minted back
 * @param isPaid a fickle one, in which a bank pays, refuses and gives back, and people do all that the operator API lets them do with payouts
 * @param isTorn a fickle one, in which the database is put back, too, once some of that was made good
 */
export async function playLife(
  seed: string,
  {
    isAlone = false,
    isWorst = false,
    isHarsh = false,
    isFickle = false,
    isRefused = false,
    isTorn = false,
    isPaid = false,
  } = {},
): Promise<Lived> {
  const told: string[] = []
  const signers = isAlone ? SIGNERS.slice(0, 1) : SIGNERS
  const life = await createLife(
    seed,
    { signers, isWorst, isHarsh, isFickle: isFickle || isRefused || isTorn || isPaid, isRefused, isTorn, isPaid },
    (what) => void told.push(what),
  )
  try {
    await life.play()
    return await life.lived()
  } catch (error) {
    const story = [...told.slice(-Number(CHAIN_TOLD)), await life.describe()].join('\n')
    throw new Error(
      `CHAIN_SEED=${seed}${isAlone ? ' CHAIN_ALONE=1' : ''}${isWorst ? ' CHAIN_WORST=1' : ''}${isHarsh ? ' CHAIN_HARSH=1' : ''}${isFickle ? ' CHAIN_FICKLE=1' : ''}${isRefused ? ' CHAIN_REFUSED=1' : ''}${isTorn ? ' CHAIN_TORN=1' : ''}${isPaid ? ' CHAIN_PAID=1' : ''}: ${error instanceof Error ? error.message : error}\n${story}`,
      { cause: error },
    )
  } finally {
    await life.close()
  }
}

const configOf = (finality: ChainConfig['finality']) =>
  ({
    key: 'model',
    name: 'Model',
    chainId: MODEL_CHAIN_ID,
    confirmations: 3,
    finality,
    quorum: 2,
    pollIntervalMs: 1_000,
    bumpAfterBlocks: 3,
    maxFeePerGasWei: 100n * GWEI,
    maxPriorityFeePerGasWei: 10n * GWEI,
    coin: { address: COIN, name: 'Coin', symbol: 'COIN' },
    settlement: SETTLEMENT,
    deployment: undefined,
    sanctionsOracle: undefined,
    pauser: undefined,
  }) as unknown as ChainConfig

type Kind = {
  signers: readonly Signer[]
  isWorst: boolean
  isHarsh: boolean
  isFickle: boolean
  isRefused: boolean
  isTorn: boolean
  isPaid: boolean
}

async function createLife(
  seed: string,
  { signers, isWorst, isHarsh, isFickle, isRefused, isTorn, isPaid }: Kind,
  say: (what: string) => void,
) {
  const random = createRandom(seed)
  const traits = {
    hasRestores: random.chance(0.4),
    hasDeep: random.chance(0.35),
    hasThief: random.chance(0.15),
    settlers: random.pick([1, 2, 2]),
    finality: random.pick(['depth', 'depth', 'finalized'] as const),
    /** How often things happen to the chain, to nodes and to processes. */
    events: random.pick([0.2, 0.4, 0.6]),
    troubles: random.pick([0, 0.3, 0.3, 0.5]),
    mishaps: random.pick([0.05, 0.2, 0.35]),
    isFickle,
    isPaid,
  }
  if (isWorst || isHarsh) Object.assign(traits, { hasRestores: true, hasDeep: true, hasThief: true })
  if (isHarsh) Object.assign(traits, { events: random.pick([0.6, 0.8]) })
  // A database that was put back asks operators whose the instructions of lost batches were; in torn lives alone people answer that (torn.ts).
  if (isFickle)
    Object.assign(traits, {
      hasDeep: true,
      hasThief: false,
      hasRestores: isTorn,
      events: random.pick(isTorn ? [0.3, 0.4] : [0.6, 0.8]),
    })
  const { weights, kept } = isTorn
    ? isPaid
      ? PAID_TORN
      : TORN
    : isPaid
      ? PAID
      : isRefused
        ? REFUSED
        : isFickle
          ? FICKLE
          : isHarsh
            ? HARSH
            : MILD
  const whole = await createTestDatabase()
  const inTurn = takingTurns()
  const db = inTurn(whole)
  // The owner of the tables is let past most guards of the database.
  const logins = await Promise.all((['settler', 'operator', 'payer'] as const).map((role) => asRole(whole, role)))
  const [settling, operating, paying] = logins.map(inTurn) as [Database, Database, Database]
  const copying = await createCopying(db)
  const clock = createClock(db)
  await seedParties(db)
  const addresses = signers.map(({ address }) => address)
  const config = configOf(traits.finality)
  const orders = createOrders({ db, operating }, config, random.fork('orders'), say)
  const [troubled, chain] = [random.fork('faults'), random.fork('chain')]
  const network = createNetwork(addresses, chain, kept, say)
  const faults = createFaults(network, troubled, traits, say)
  const happenings = createHappenings({ network, addresses, random: chain, say }, { ...traits, weights })
  const { blocks, nodes } = network
  const deps = { db: settling, nodes, config, signers, nowMs: clock.nowMs }
  const fickle = createFickle({ db: operating, paying }, { config, nodes }, say, isPaid)
  const refunds = isRefused
    ? createRefunds({ db: operating, paying }, config.chainId, random.fork('refunds'), say)
    : undefined
  const bank = isPaid
    ? await createPaying({ db: operating, paying }, { config, nodes }, random.fork('paying'), say, isTorn)
    : undefined
  const torn = isTorn ? createTorn(operating, config, { say, wasToldFailed: orders.wasToldFailed, isPaid }) : undefined
  const settlers = createSettlers(deps, traits.settlers, { random: troubled, mishap: faults.mishap, say })
  const waiting = { since: new Map<string, number>(), unexplained: 0 }
  const world: World = {
    db,
    config,
    blocks,
    nodes,
    orders,
    traits,
    torn,
    waiting,
    lines: settlers.lines,
    nowMs: clock.nowMs,
    states: settlers.states,
    wokeLately: settlers.wokeLately,
  }
  let backups: (Copy & { atMs: number })[] = []
  let restores = 0
  let unbroken = isTorn ? (isPaid ? PAID_UNBROKEN : UNBROKEN) : 0
  const givenUp = { replaced: 0, gone: 0 }

  async function restore(): Promise<void> {
    const copy = chain.pick(backups)
    say(`restore of backup ${backups.indexOf(copy)}`)
    restores += 1
    await torn?.remember()
    await settlers.replace(async () => {
      await copying.putBack(copy)
      const awayMs = chain.pick([20_000, 700_000])
      // A longer one is told by the gap alone, as where files were copied back; of payouts nobody would see that.
      if (bank !== undefined) await endTimeline(db, `before ${restores}`)
      if (awayMs < GAP_MS || bank !== undefined) await beginTimeline(db, bank !== undefined)
      // What was backed up later is of a history that never was.
      backups = backups.slice(0, backups.indexOf(copy) + 1)
      await clock.age(clock.nowMs() - copy.atMs)
      await clock.pass(awayMs)
      await orders.rejectAgain(false)
      await bank?.restored()
    })
  }

  /** How operators said that a batch is lost, by its id; and of how many lines it was seen whether settlers have given it up. */
  const said = new Map<string, 'replaced' | 'gone'>()
  let seen = 0
  let isEnding = false

  async function giveUpLost(): Promise<void> {
    for (const { msg, firstBatchId } of settlers.lines.slice(seen)) {
      const how = said.get(String(firstBatchId))
      if (GIVEN_UP.test(msg) && how !== undefined) givenUp[how] += 1
    }
    seen = settlers.lines.length
    const word = await giveUpReplaced(operating, { config, nodes }, say)
    if (word !== undefined) said.set(String(word.batchId), word.how)
  }

  async function operate(): Promise<void> {
    if (troubled.chance(0.1)) await orders.hold()
    if (troubled.chance(0.1)) await orders.release(0.5, !(isTorn && isPaid))
    if (troubled.chance(0.06)) await orders.reject()
    if (restores > 0) await orders.rejectAgain(true)
    await giveUpLost()
    await makeLostGood()
  }

  async function makeLostGood(): Promise<void> {
    if (!isFickle) return await makeGoodLost(operating, config.chainId, say)
    await putRight()
    if (bank === undefined || bank.mayPay()) await fickle.lookAtBurns()
    await refunds?.operate(isEnding)
    await bank?.operate(isEnding)
    await fickle.operate()
  }

  async function putRight(): Promise<void> {
    if (torn === undefined || restores === 0) return
    await torn.remember()
    torn.heed(settlers.lines, orders.tagOf)
    await torn.operate(await orders.mayCome())
  }

  async function isAnyLost(): Promise<boolean> {
    if (!isFickle) return await areAnyLost(db, config.chainId)
    if ((await refunds?.isAnyLeft()) || (await bank?.isAnyLeft())) return true
    return (await fickle.isAnyLeft()) || (torn !== undefined && (await torn.isAnyLeft()))
  }

  async function step(at: number): Promise<void> {
    if (chain.chance(0.6)) for (let made = chain.between(0, 3); made > 0; made -= 1) await orders.ask(isPaid)
    faults.change()
    if (chain.chance(traits.events)) happenings.befall()
    await operate()
    network.gossip(chain.pick([0, 0.5, 1]))
    for (let made = chain.pick([1, 1, 1, 2, 0]); made > 0; made -= 1) network.mine(chain.pick([1, 1, 0.4, 0]))
    await clock.pass(troubled.chance(0.07) ? 90_000 : troubled.between(2, 6) * 1_000)
    await settlers.rounds(troubled.pick([1, 1, 2]))
    await judgeMoment(world, say)
    // Where nobody settles, or hears of no new block, that is what operators are told.
    const areHeard = nodes.filter(isAway).length < 2
    if (!settlers.areSteady() || !areHeard) waiting.since.clear()
    await judgeWaiting(world)
    const isOften = isTorn && isPaid
    if (traits.hasRestores && (backups.length < 2 || isOften) && troubled.chance(isOften ? 0.2 : 0.08)) {
      if (isOften && backups.length === PAID_BACKUPS) backups.shift()
      say(`backup ${backups.length}`)
      backups.push({ ...(await copying.copy()), atMs: clock.nowMs() })
    }
    if (backups.length > 0 && restores < 3 && at >= unbroken && troubled.chance(0.08)) {
      if (bank !== undefined) unbroken = at + PAID_UNBROKEN
      await restore()
    }
    if (restores > 0) await orders.askAgain(0.2, isTorn)
  }

  async function calmRound(ms: number): Promise<void> {
    network.gossip(1)
    network.mine()
    await clock.pass(ms)
    await settlers.rounds(1, true)
    await judgeMoment(world, say)
  }

  async function end(): Promise<void> {
    say('the end')
    isEnding = true
    faults.mendAll()
    happenings.mendAll()
    await orders.askAgain(1, isTorn)
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      await orders.rejectAgain(true)
      await orders.release(1, !(isTorn && isPaid))
      await giveUpLost()
      await makeLostGood()
      await calmRound(4_000)
      if (round >= LEAST_ROUNDS && !(await orders.areAnyOpen()) && !(await isAnyLost())) break
    }
    const after = traits.hasDeep ? ROUNDS_AFTER.hasDeep : ROUNDS_AFTER.other
    for (let round = 0; round < after; round += 1) {
      await calmRound(6_000)
      // What was final is looked for again only now.
      if (isFickle) await makeLostGood()
    }
    await judgeEnd(world)
    await bank?.judge(blocks.all(), orders.tagOf)
  }

  return {
    lived: async (): Promise<Lived> => ({
      orders: orders.asked.length,
      restores,
      ...network.count,
      lines: settlers.lines.length,
      givenUp,
      remints: await countRemints(db, config.chainId),
      fickle: fickle.count,
      refunds: refunds?.count,
      paying: bank?.count,
      torn: torn?.count,
    }),
    describe: () => describe(world).catch(String),
    async play(): Promise<void> {
      say(JSON.stringify(traits))
      happenings.begin()
      network.mine()
      for (const to of WALLETS) await orders.fund(to)
      for (
        let at = 0;
        at < (isTorn && isPaid ? PAID_TORN_STEPS : isTorn ? TORN_STEPS : isPaid ? PAID_STEPS : STEPS);
        at += 1
      ) {
        say(`step ${at}, block ${blocks.newest().number}`)
        await step(at)
      }
      await end()
    },
    async close(): Promise<void> {
      await settlers.end()
      await bank?.close()
      // What went on beside the last rounds has ended, or is behind this.
      await db.query('select 1').catch(() => {})
      for (const login of logins) await login.close()
      await whole.close()
    },
  }
}
