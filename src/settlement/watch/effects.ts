/** What batches on chain have done to the coin in existence, and which of them this database signed. */
import type { Hex } from 'viem'
import { findSettlement } from '../../chain/batch-reads.ts'
import { decodeSettle, digestOf, type Instruction, KIND, unpackInstructions } from '../../chain/instructions.ts'
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { readOutcome } from '../../chain/settlement-reads.ts'
import { callDataOf } from '../../chain/signed-transaction.ts'
import { ChainUnreadableError } from '../../chain-errors.ts'
import { hasSucceeded } from '../../values/success-bitmap.ts'
import { readSignedBytes } from '../tables/attempts.sql.ts'
import type { Work } from '../work.ts'
import type { Effect } from './seen.ts'

/** So many batches are read at a time; what is left is read with the next head. */
const READ_AT_ONCE = 64n

/**
 * Reads the effects of the batches after one id up to another, as of the agreed head.
 * @param known effects that were read before, of the same branch of the chain
 * @throws ChainError when nodes do not agree on what became of a batch
 */
export async function readEffects(
  work: Work,
  at: AgreedHead,
  { after, last }: { after: bigint; last: bigint },
  known: ReadonlyMap<bigint, Effect>,
): Promise<Effect[]> {
  const { db, chain } = work
  const missing: bigint[] = []
  for (let id = after + 1n; id <= last && missing.length < READ_AT_ONCE; id += 1n) if (!known.has(id)) missing.push(id)
  const [first, newest] = [missing[0], missing.at(-1)]
  if (first === undefined || newest === undefined) return []
  const signed = callDataByDigest(await readSignedBytes(db, chain.config.chainId, { first, last: newest }))
  return await Promise.all(missing.map((batchId) => readEffect(work, at, batchId, signed)))
}

async function readEffect(
  { chain }: Work,
  at: AgreedHead,
  batchId: bigint,
  signed: ReadonlyMap<string, Hex>,
): Promise<Effect> {
  const { settlement, quorum } = chain.config
  const { value: record } = await agree(at.nodes, quorum, (node) =>
    readOutcome(node, settlement, batchId, { blockHash: at.head.hash }),
  )
  // The head says that the batch is settled. Whoever says of the same head that it is not speaks of another branch of the chain.
  if (!record.settled) throw new ChainUnreadableError(`nodes do not know batch ${batchId} at the block that has it`)
  const own = signed.get(keyOf(batchId, record.digest))
  if (own !== undefined) {
    const { supplyMicro } = effectOf(own, record.successBitmap)
    return { batchId, digest: record.digest, isOurs: true, supplyMicro, by: undefined, instructions: [] }
  }
  const nobody = {
    batchId,
    digest: record.digest,
    isOurs: false,
    supplyMicro: undefined,
    by: undefined,
    instructions: [],
  }
  const by = await agree(at.nodes, quorum, (node) => findSettlement(node, settlement, { batchId, ...record })).then(
    ({ value }) => value,
    () => undefined,
  )
  const packed = by && decodeSettle(by.callData)?.packed
  if (packed === undefined || digestOf(packed) !== record.digest) return nobody
  return { ...nobody, ...effectOf(packed, record.successBitmap), by }
}

/** What the executed ones of packed instructions change (pure). */
function effectOf(packed: Hex, successBitmap: bigint): { supplyMicro: bigint; instructions: Instruction[] } {
  const instructions = (unpackInstructions(packed) ?? []).filter((_, index) => hasSucceeded(successBitmap, index))
  const supplyMicro = instructions.reduce((sum, { kind, amount }) => {
    if (kind === KIND.MINT) return sum + amount
    return kind === KIND.REDEEM ? sum - amount : sum
  }, 0n)
  return { supplyMicro, instructions }
}

function callDataByDigest(attempts: readonly { batchId: bigint; raw: Hex }[]): Map<string, Hex> {
  const byDigest = new Map<string, Hex>()
  for (const { batchId, raw } of attempts) {
    const packed = packedIn(raw)
    if (packed !== undefined) byDigest.set(keyOf(batchId, digestOf(packed)), packed)
  }
  return byDigest
}

/** Undefined for bytes that are no batch: then they settle none. */
function packedIn(raw: Hex): Hex | undefined {
  try {
    return decodeSettle(callDataOf(raw))?.packed
  } catch {
    return undefined
  }
}

function keyOf(batchId: bigint, digest: string): string {
  return `${batchId}/${digest}`
}
