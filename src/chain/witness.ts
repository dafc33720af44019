/**
 * What became of a batch, for somebody who believes nobody else's word about it: asked of the nodes themselves, by the rules by which
 * outcomes are final (a quorum, full depth). The contract's record names what was executed by its digest alone, so that whoever asks
 * brings the instructions: they are the batch's when they have that digest, wherever they come from.
 */
import type { Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import { readFinalBlock } from './final-block.ts'
import { digestOf, type Instructed, packInstructions, taggedInstruction } from './instructions.ts'
import type { RpcNode } from './node.ts'
import { type AgreedHead, agree } from './quorum.ts'
import { readOutcome } from './settlement-reads.ts'

/** `blockNumber`: the block that somebody has written down for it. */
export type WitnessedBatch = {
  batchId: bigint
  blockNumber: bigint
  instructions: readonly (Instructed & { tag: Hex })[]
}

export type Testimony =
  /** It executed in a final block, with these instructions; bit i is set when instruction i succeeded. */
  | { result: 'executed'; successBitmap: bigint }
  /** It did not, or with other instructions, as of a block that is final. */
  | { result: 'denied'; reason: string }
  /** It is not known yet: asking again helps. */
  | { result: 'unknown'; reason: string }

/** @throws ChainError when too few nodes answer, or agree */
export type Witness = (batches: readonly WitnessedBatch[]) => Promise<Testimony[]>

/** Makes the witness of a chain. It remembers nothing: every answer is that of the newest block on which enough nodes agree. */
export function createWitness(config: ChainConfig, nodes: readonly RpcNode[]): Witness {
  return async (batches) => {
    const { at, finalBlock } = await readFinalBlock(config, nodes)
    return await Promise.all(batches.map((batch) => testify(config, at, finalBlock, batch)))
  }
}

/** The record is read at the head, of which every node has the state: it names its block itself. */
async function testify(
  { quorum, settlement }: ChainConfig,
  { head, nodes }: AgreedHead,
  finalBlock: bigint,
  batch: WitnessedBatch,
): Promise<Testimony> {
  const { batchId } = batch
  const { value: record } = await agree(nodes, quorum, (node) =>
    readOutcome(node, settlement, batchId, { blockHash: head.hash }),
  )
  const place = `Block ${finalBlock} is final`
  // The block that was written down counts as well: a rollup's contracts may count blocks of the chain below.
  if (finalBlock < batch.blockNumber)
    return { result: 'unknown', reason: `${place}, and not yet ${batch.blockNumber}.` }
  if (!record.settled) return { result: 'denied', reason: `${place}, and the chain has no batch ${batchId}.` }
  if (finalBlock < record.blockNumber)
    return { result: 'unknown', reason: `${place}, and batch ${batchId} is in ${record.blockNumber}.` }
  if (digestIn(batch) === record.digest) return { result: 'executed', successBitmap: record.successBitmap }
  return { result: 'denied', reason: `Batch ${batchId} has other instructions on the chain than here.` }
}

/** Undefined of what no batch can hold. */
function digestIn({ instructions }: WitnessedBatch): Hex | undefined {
  try {
    return digestOf(packInstructions(instructions.map((each) => taggedInstruction(each, each.tag))))
  } catch {
    return undefined
  }
}
