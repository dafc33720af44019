/**
 * Looks on the chain for the burns that payouts are for, before any rail is asked. The database is not believed: somebody with the
 * settler's login could have written what it says. A batch is read once for all its payouts, and each notes its burn for ever.
 * Its place: docs/ARCHITECTURE.md, "A payout's path".
 */
import type { Logger } from 'pino'
import { ChainError } from '../chain-errors.ts'
import type { Database } from '../db/database.ts'
import { hasSucceeded } from '../values/success-bitmap.ts'
import { createWorkLoop, type WorkLoop } from '../work-loop.ts'
import {
  burnOf,
  findByBurn,
  findUnseen,
  holdUnburnt,
  type Instructed,
  mayBeMintedBack,
  noteBurns,
  postponeUnseen,
  type RecordedBatch,
  readBatch,
  type SeenBurn,
  type Unseen,
} from './burns.sql.ts'
import { type Reminted, refuseReminted } from './reminted.sql.ts'

const POLL_MS = 1_000
/** Payouts of one round: those of a whole batch at least. */
const PAYOUTS_AT_ONCE = 256
/** Batches of one round: as many reads of each node. */
const BATCHES_AT_ONCE = 16
/** Until nodes that did not answer, or are behind, are asked again. */
const AGAIN_MS = 5_000
/** Until what cannot be held any more is looked at again. */
const DENIED_AGAIN_MS = 60 * 60_000

export type BurnTestimony =
  | { result: 'executed'; successBitmap: bigint }
  | { result: 'denied'; reason: string }
  | { result: 'unknown'; reason: string }

/** A chain, as far as payers must see it. `witness` throws ChainError when too few nodes answer. */
export type WitnessedChain = {
  chainId: number
  witness(batches: readonly RecordedBatch[]): Promise<BurnTestimony[]>
}

export type BurnMetrics = { looked(result: 'seen' | 'denied' | 'unknown', payouts: number): void }

export type BurnDeps = {
  db: Database
  chain: WitnessedChain
  logger: Logger
  metrics?: BurnMetrics
  /** Whether a chain is gone for good, so that nobody asks it. */
  isLost?: (chainId: number) => boolean
  /** Called when payouts may be paid. */
  onSeen?: () => void
  pollMs?: number
  againMs?: number
}

/** Makes the watch of one chain; nodes that hang hold up no other chain. Several processes may each have one. */
export function createBurnWatch(deps: BurnDeps): WorkLoop {
  const { logger, pollMs = POLL_MS, chain } = deps
  return createWorkLoop({ name: `burns ${chain.chainId}`, logger, pollMs, work: () => lookForBurns(deps) })
}

/** One round. @returns whether there may be more to look at */
export async function lookForBurns(deps: BurnDeps): Promise<boolean> {
  const { db, chain, isLost = () => false } = deps
  if (isLost(chain.chainId)) return false
  const due = await findUnseen(db, chain.chainId, PAYOUTS_AT_ONCE)
  if (due.length === 0) return false
  if (await mayBeMintedBack(db, chain.chainId)) {
    await wait(deps, due, UNFENCED)
    return false
  }
  const byBatch = Map.groupBy(due, ({ batchId }) => batchId)
  const chosen = [...byBatch].slice(0, BATCHES_AT_ONCE)
  const recorded = await Promise.all(chosen.map(([batchId]) => readBatch(db, chain.chainId, batchId)))
  const batches = recorded.filter((batch) => batch !== undefined)
  const said = await ask(deps, batches)
  for (const [place, [, unseen]] of chosen.entries()) {
    const batch = recorded[place]
    await tell(deps, unseen, batch, batch === undefined ? NO_BATCH : (said[batches.indexOf(batch)] ?? NO_BATCH))
  }
  return due.length === PAYOUTS_AT_ONCE || byBatch.size > BATCHES_AT_ONCE
}

const UNFENCED =
  'What this database may have lost can have minted its coin back until the fence of its chain is final: see "coin overview", which says "fence" until then.'

const NO_BATCH = { result: 'denied', reason: 'There is no such final batch.' } as const satisfies BurnTestimony

async function ask({ chain }: BurnDeps, batches: readonly RecordedBatch[]): Promise<BurnTestimony[]> {
  if (batches.length === 0) return []
  try {
    return await chain.witness(batches)
  } catch (error) {
    if (!(error instanceof ChainError)) throw error
    const { message } = error
    return batches.map(() => ({ result: 'unknown', reason: `The chain cannot be asked: ${message}` }))
  }
}

async function tell(
  deps: BurnDeps,
  unseen: readonly Unseen[],
  batch: RecordedBatch | undefined,
  testimony: BurnTestimony,
): Promise<void> {
  const { db, chain, logger, metrics, onSeen } = deps
  if (testimony.result === 'unknown') return await wait(deps, unseen, testimony.reason)
  const burns: SeenBurn[] = []
  for (const one of unseen) {
    const why = testimony.result === 'denied' ? testimony.reason : whyNotBurnt(one, batch, testimony.successBitmap)
    if (why === undefined && batch !== undefined)
      burns.push({ payoutId: one.payoutId, burn: burnOf(chain.chainId, batch, one.index) })
    else await deny(deps, one, why ?? NO_BATCH.reason)
  }
  if (batch === undefined || burns.length === 0) return
  const place = { ...batch, chainId: chain.chainId }
  const { noted, reminted } = await db.transaction(async (tx) => {
    const noted = await noteBurns(tx, place, burns)
    const seen = unseen.filter(({ payoutId }) => noted.includes(payoutId))
    const tagged = seen.map(({ payoutId, redeem }) => ({ payoutId, tag: redeem.tag }))
    return { noted, reminted: await refuseReminted(tx, tagged) }
  })
  metrics?.looked('seen', noted.length)
  if (noted.length > reminted.length) onSeen?.()
  tellReminted(logger, reminted)
  if (noted.length < burns.length) await denyTaken(deps, unseen, burns)
}

async function wait(deps: BurnDeps, unseen: readonly Unseen[], why: string): Promise<void> {
  const { db, chain, logger, metrics, againMs: afterMs = AGAIN_MS } = deps
  const reason = `Its burn is not seen on the chain yet. ${why}`.slice(0, 500)
  const payoutIds = unseen.map(({ payoutId }) => payoutId)
  await postponeUnseen(db, payoutIds, { afterMs, reason })
  metrics?.looked('unknown', unseen.length)
  const fields = { chainId: chain.chainId, batchId: String(unseen[0]?.batchId), payouts: unseen.length }
  logger.warn({ ...fields, reason }, 'payouts wait: their burns are not seen on the chain yet')
}

/** Undefined when the instruction at its place in the batch is its redeem's, and succeeded. */
function whyNotBurnt(
  { redeem, batchId, index }: Unseen,
  batch: RecordedBatch | undefined,
  bitmap: bigint,
): string | undefined {
  const place = `Instruction ${index} of batch ${batchId}`
  const settled = batch?.instructions[index]
  if (settled === undefined || !isSame(settled, redeem)) return `${place} is not the burn of its redeem.`
  return hasSucceeded(bitmap, index) ? undefined : `${place} has failed on the chain.`
}

function isSame(one: Instructed, other: Instructed): boolean {
  return (
    one.direction === 'REDEEM' &&
    other.direction === 'REDEEM' &&
    one.tag === other.tag &&
    one.amountMicro === other.amountMicro &&
    one.debitAddress !== null &&
    one.debitAddress.toLowerCase() === other.debitAddress?.toLowerCase()
  )
}

/** Says what is not paid because its coin was minted back. */
export function tellReminted(logger: Logger, reminted: readonly Reminted[]): void {
  for (const { payoutId, batchId, index } of reminted)
    logger.error({ payoutId, batchId: String(batchId), index }, REMINTED)
}

const REMINTED =
  'a batch that this service did not make has minted back the coin of a redeem: it is not paid; run "coin payout refund", which takes that outcome'

/** A burn pays one payout. */
async function denyTaken(deps: BurnDeps, unseen: readonly Unseen[], burns: readonly SeenBurn[]): Promise<void> {
  const names = burns.map(({ burn }) => burn)
  const taken = new Map((await findByBurn(deps.db, names)).map(({ burn, payoutId }) => [burn, payoutId]))
  for (const { payoutId, burn } of burns) {
    const [other, one] = [taken.get(burn), unseen.find((each) => each.payoutId === payoutId)]
    if (one !== undefined && other !== undefined && other !== payoutId)
      await deny(deps, one, `Burn ${burn} is that of ${other}.`)
  }
}

async function deny({ db, chain, logger, metrics }: BurnDeps, { payoutId, batchId }: Unseen, reason: string) {
  const isHeld = await holdUnburnt(db, payoutId, reason)
  if (!isHeld) await postponeUnseen(db, [payoutId], { afterMs: DENIED_AGAIN_MS, reason })
  metrics?.looked('denied', 1)
  logger.fatal(
    { chainId: chain.chainId, payoutId, batchId: String(batchId), reason },
    'the chain does not show the burn that a payout is for: it is not paid. Who can write to the database?',
  )
}
