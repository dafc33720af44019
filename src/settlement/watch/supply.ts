/** Compares the coin in existence with what batches have done, and batches with what this database has signed. */
import { readContractHead } from '../../chain/batch-reads.ts'
import { type Instruction, KIND } from '../../chain/instructions.ts'
import { findCreated } from '../../chain/movement-logs.ts'
import { agree } from '../../chain/quorum.ts'
import { readBlock } from '../../chain/reads.ts'
import { formatAmount } from '../../money.ts'
import type { FollowedHead } from '../finality.ts'
import type { MovementTransaction } from '../tables/movements.sql.ts'
import type { Work } from '../work.ts'
import { keepDone, readChanged, readUnlikeKnown } from './changed.ts'
import { readEffects } from './effects.ts'
import { report } from './report.ts'
import type { Effect, Look } from './seen.ts'
import { servedLogs } from './served-logs.ts'

/**
 * Compares the supply with the newest look that is final, so that no reorganisation can explain a difference. A look becomes final on its own branch of
 * the chain and stays so, even when the chain goes over to another branch with a lower head. What earlier batches have done otherwise on that branch is
 * then counted as theirs (`readChanged`).
 */
export async function watchSupply(work: Work, at: FollowedHead): Promise<void> {
  const { watch } = work.memory
  const now = await lookAt(work, at)
  if (await followsLast(work, at)) {
    for (const look of watch.looks) look.isFinal ||= look.block <= at.finalBlock
  } else {
    watch.effects.clear()
    watch.looks = watch.looks.filter(({ isFinal }) => isFinal)
    await keepDone(work)
  }
  watch.oldBatchId ??= now.lastBatchId
  const base = watch.looks.findLast(({ isFinal }) => isFinal) ?? watch.looks[0]
  if (base === undefined || now.lastBatchId < base.lastBatchId) return beginWith(work, now)
  const range = { after: base.lastBatchId, last: now.lastBatchId }
  for (const effect of await readEffects(work, at, range, watch.effects)) {
    if (!effect.isOurs && effect.batchId > watch.oldBatchId) await reportBatch(work, base, now, effect)
    if (effect.supplyMicro !== undefined) watch.effects.set(effect.batchId, effect)
  }
  const done = supplyBetween(range, watch.effects)
  if (done === undefined) return
  const changed = base.before === undefined ? 0n : await readChanged(work, at, base.before)
  if (base.before !== undefined) now.before = await readUnlikeKnown(work, at, now)
  const differenceMicro = now.supplyMicro - base.supplyMicro - done - changed
  if (differenceMicro !== 0n) {
    await reportSupply(work, at, now, differenceMicro)
    return beginWith(work, now)
  }
  watch.looks = [...watch.looks.filter(({ block }) => block >= base.block), now]
  for (const id of watch.effects.keys()) if (id <= base.lastBatchId) watch.effects.delete(id)
}

/** Effects that are known are of batches up to this look: nothing asks for them again. */
function beginWith({ memory }: Work, look: Look): void {
  memory.watch.looks = [look]
}

async function lookAt({ chain }: Work, { head, nodes }: FollowedHead): Promise<Look> {
  const { value } = await agree(nodes, chain.config.quorum, async (node) => {
    const { lastBatchId, supplyMicro } = await readContractHead(node, chain.config, { blockHash: head.hash })
    return { lastBatchId, supplyMicro }
  })
  return { block: head.number, hash: head.hash, isFinal: false, ...value }
}

/** Whether the last look was at a block below this one. */
async function followsLast({ chain, memory }: Work, { head, nodes }: FollowedHead): Promise<boolean> {
  const last = memory.watch.looks.at(-1)
  if (last === undefined || last.hash === head.hash || last.hash === head.parentHash) return true
  if (last.block >= head.number) return false
  const { value } = await agree(nodes, chain.config.quorum, (node) => readBlock(node, last.block))
  return value?.hash === last.hash
}

/** How much more coin exists after the batches of a range; undefined while one of them is not known (pure). */
function supplyBetween(
  { after, last }: { after: bigint; last: bigint },
  effects: ReadonlyMap<bigint, Pick<Effect, 'supplyMicro'>>,
): bigint | undefined {
  let sum = 0n
  for (let id = after + 1n; id <= last; id += 1n) {
    const supplyMicro = effects.get(id)?.supplyMicro
    if (supplyMicro === undefined) return undefined
    sum += supplyMicro
  }
  return sum
}

async function reportBatch(
  work: Work,
  base: Look,
  now: Look,
  { batchId, digest, by, instructions }: Effect,
): Promise<void> {
  const who = by === undefined ? 'somebody' : by.sender
  await report(work, {
    kind: 'batch',
    batchId,
    digest,
    afterBlock: base.block,
    seenBlock: now.block,
    mayPause: true,
    details: `batch ${batchId} was made by ${who}, with ${instructions.length} instructions that moved coin`,
    transactions: by === undefined ? [] : instructions.map((each) => shown(by.txHash, by.blockNumber, each)),
  })
}

function shown(
  txHash: MovementTransaction['txHash'],
  block: bigint,
  { kind, from, to, amount }: Instruction,
): MovementTransaction {
  return {
    txHash,
    block: String(block),
    amount: formatAmount(amount),
    from: kind === KIND.MINT ? null : from,
    to: kind === KIND.REDEEM ? null : to,
  }
}

async function reportSupply(work: Work, at: FollowedHead, now: Look, amountMicro: bigint): Promise<void> {
  const after = work.memory.watch.looks.at(-1)?.block ?? now.block
  const what =
    amountMicro > 0n ? `${formatAmount(amountMicro)} coin was made` : `${formatAmount(-amountMicro)} coin was destroyed`
  await report(work, {
    kind: 'supply',
    amountMicro,
    afterBlock: after,
    seenBlock: now.block,
    mayPause: true,
    details: `${what} outside every batch`,
    transactions: await findTransactions(work, at, { from: after + 1n, to: now.block }),
  })
}

/** Mints and burns that no batch made, as far as logs are served. */
async function findTransactions(
  work: Work,
  at: FollowedHead,
  blocks: { from: bigint; to: bigint },
): Promise<MovementTransaction[]> {
  const { coin, settlement } = work.chain.config
  const found = await servedLogs(work, at, (node) => findCreated(node, { coin: coin.address, settlement }, blocks))
  return found.map(({ blockNumber, amountMicro, ...rest }) => ({
    ...rest,
    block: String(blockNumber),
    amount: formatAmount(amountMicro),
  }))
}
