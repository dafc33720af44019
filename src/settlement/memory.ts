/**
 * What is remembered between two rounds, grouped by the step that writes it; other writers are named. Correctness needs
 * none of it: a new process begins with `freshMemory()` (fresh-memory.ts).
 */
import type { Hex } from 'viem'
import type { Fees } from '../chain/fees.ts'
import type { BucketName } from '../chain/instructions.ts'
import type { Powers } from '../chain/powers.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import type { Buckets, SenderRefusal } from '../chain/settlement-reads.ts'
import type { View } from './follow/look.ts'
import type { UsedSince } from './follow/used-nonces.ts'
import type { GasPerOrder } from './form/pace.ts'
import type { Search } from './form/search.ts'
import type { Turns } from './form/turns.ts'
import type { Unanswered } from './form/unanswered.ts'
import type { HoldReason } from './metrics.ts'
import type { Offered } from './repair/gap-fees.ts'
import type { Effect, Look } from './watch/seen.ts'

/** Why a signer cannot carry what it has under way. */
export type Unable = SenderRefusal | 'gas-balance' | 'not configured' | 'does not sign'

/** A reason, with the details that an operator needs. */
export type Hold = { reason: HoldReason; details: Readonly<Record<string, unknown>> }

export type Market = { headHash: string; fees: Fees | undefined; buckets: Buckets }

export type Memory = {
  /** follow/head: the pace of blocks; the last times between two, and until when the newest one is not asked for again. */
  blocks: {
    number: bigint
    seenAtMs: number
    intervalMs: number | undefined
    lately: readonly number[]
    quiet: { at: AgreedHead & { finalBlock: bigint }; untilMs: number } | undefined
  }
  /** finality: the head at which nodes said last what is finalized, and the newest block that was. */
  finality: { askedAtHash: string | undefined; block: bigint }
  /** follow/observe: what the chain has shown. */
  follow: {
    /**
     * The head whose view was recorded completely. Repair clears it, because the same head means something else for
     * other batches.
     */
    recordedHash: string | undefined
    /** The final block below it then. */
    recordedFinal: bigint | undefined
    view: View | undefined
    /** The nonces that are used up without an outcome of their batches, and since when. */
    usedSince: UsedSince
    /** follow/nonces: the block at which all signers were asked for their nonces. */
    noncesAtBlock: bigint | undefined
    /** follow/seen: the block for which it was told last that the chain is there, and when. */
    seen: { hash: string | undefined; toldAtMs: number }
    behindSinceMs: number | undefined
    /** How long a chain was that is shorter now, until it is as long again: what it says counts, and it is still told to be behind. */
    longest: bigint | undefined
    /**
     * The chain has different instructions under the id of a batch in flight: nothing is formed until they have been
     * read, at full depth.
     */
    hasForeignBatch: boolean
    /** repair/history: whether the contract has batches that were not read yet; undefined before it was first asked. */
    hasUnread: boolean | undefined
    /** repair/history: the database's timeline on which there was none. */
    readOn: string | undefined
  }
  /** watch: what the chain is compared with. */
  watch: {
    /** watch/supply: the newest final look and those after it. */
    looks: Look[]
    /** What batches after the oldest look have done, on the present branch of the chain. */
    effects: Map<bigint, Effect>
    /** The last batch at this settler's first look. */
    oldBatchId: bigint | undefined
    /** watch/powers. */
    powers: { block: bigint; powers: Powers } | undefined
    /** watch/watch: at how many heads in a row nodes could not tell what is watched. */
    failures: number
    /** watch/timelock: the last block whose operations were read. */
    timelockBlock: bigint | undefined
    /** watch/timelock-over: operations that are over, each with the head at which that was first seen. */
    timelockOver: ReadonlyMap<Hex, { number: bigint; hash: Hex }>
    /** watch/timelock: how often in a row reading it has failed. */
    timelockFailures: number
    /** round, watch/report: whether settlement waits for an operator because of what was seen. */
    isPaused: boolean
    /** watch/stop-chain. */
    stop: { isUnderWay: boolean; isDone: boolean; triedAtMs: number }
  }
  /** follow/recheck: what became of final batches. follow/observe has them looked at again at once, by clearing some of it. */
  recheck: {
    /** repair/history: the database's timeline of which all of this is. */
    on: string | undefined
    doneAtMs: number
    /** follow/other-outcomes: what was said, or held, because a batch has another outcome. */
    told: Set<string>
    /** repair/raise-lost: the head at which the bytes of each lost batch were first found lost, by their hash. */
    seenAtBlock: ReadonlyMap<string, bigint>
    /** repair/used-up: the head at which the nonce of each lost batch was first seen used up. */
    usedSince: UsedSince
    /** repair/replaced: the first final batch whose id the chain has given to others. `barredAtMs`: since when other chains wait. */
    replaced: { batchId: bigint; barredAtMs: number | undefined } | undefined
    /** repair/gone: the lost batch that is not signed again. */
    gone: { batchId: bigint; isForeign: boolean; barredAtMs: number | undefined } | undefined
    /**
     * follow/recheck-older: the batches between `end` and `top` are there again, and are compared from the newest on. `next`: below which one to
     * go on, while any are left.
     */
    older: { top: bigint; end: bigint; next: bigint | undefined } | undefined
    /** follow/recheck-older: since the last reorganisation, the block of a batch was found to be the one that it was in. */
    isBranchKnown: boolean
    /** follow/other-outcomes: the last batch that waits for operators and was compared once more. */
    waitingUpTo: bigint
    /** The head at which some were lost when they were looked at last. */
    lostAtHead: string | undefined
    /** repair/enough-gas: which of them was not signed again at the last look, because it would not have been executed. */
    unsigned: { batchId: string; why: string } | undefined
  }
  /** limits. */
  limits: { isUnderWay: boolean; publishedAtMs: number }
  /**
   * repair/gaps: since when there is one. `offered`: by signer and nonce, what was offered last to fill it, where a pool has that or keeps other
   * bytes under the nonce.
   */
  gaps: { sinceMs: number | undefined; offered: ReadonlyMap<string, Offered> }
  /** form. */
  form: {
    /** form/simulate: what orders cost in the last large batch. */
    gasPerOrder: GasPerOrder
    /** The gas that unmined batches will probably use, by their ids; unknown of those that another process has formed. */
    expected: Map<bigint, bigint>
    /** Whether the last batches were cut for a block. */
    isCutting: boolean
    /** The head after which nothing more can be formed before another block comes. */
    fullAtHash: string | undefined
    oversizedCountedAtMs: number
    search: Search
    turns: Turns
    /** Buckets that hold their orders. */
    blocked: ReadonlySet<BucketName>
    unanswered: Unanswered
    /** Signers of which it was logged that their address runs code. */
    runsCode: Set<string>
    /** form/other-chains: the database's timeline on which all other chains were read. */
    othersReadOn: string | undefined
    /** form/other-chains: orders wait for the fence of another chain. */
    areSomeUnfenced: boolean
    /** Until when signers that did not sign come last, by their addresses. */
    unsigningUntilMs: Map<string, number>
    /** form/reserve: the reserve covers less than the bucket of mints has, what it covers, and when that was last told. */
    shortOfReserve: boolean
    reserve: Readonly<Record<string, string>>
    reserveWarnedAtMs: number
  }
  /** market: what the nodes said about the newest head; forgotten after holds and failures. */
  market: Market | undefined
  /** form/form-batches and repair/bump: the head at which each attempt in flight was made or first seen, by its hash. */
  bump: { seenAtBlock: Map<string, bigint> }
  /** repair/hand-over: the last head for which it was tried, and why the first batch under way is for nobody to carry. */
  handOver: { triedAtHash: string | undefined; unable: Unable | undefined }
  /** holds. */
  holds: {
    /** Why nothing is formed. */
    held: Hold
    /** follow/observe: the first final batch that could not be decided. */
    undecided: Hold | undefined
    /** form/settled-tags: the first order that was settled before and could not be ended. */
    unended: Hold | undefined
    /** follow/unlocated: the first batch that is settled and whose transaction no node shows, and since when. */
    unlocated: { batchId: bigint; sinceMs: number; hold: Hold | undefined } | undefined
    /** unmined: what keeps the first batch under way out of blocks. */
    unmined: Hold | undefined
    /** form/fence: no order can end without having settled; `fence`: whether one is to be signed, or is not final. */
    fence: Hold | undefined
    /** The first batch under way that is in no block, and since when it was seen to be that. */
    waiting: { batchId: bigint; sinceMs: number } | undefined
    /** When the next batch may be formed after a hold. */
    notBeforeMs: number
    /** The reason that was logged last. */
    told: HoldReason
    /** publish-hold: what other processes know, and since when every round has failed. */
    published: { key: string; atMs: number }
    failingSinceMs: number | undefined
  }
  /** node-lag. */
  lag: { isUnderWay: boolean; countedAtMs: number }
  /** round: when the metrics that need a query were last counted. */
  numbers: { countedAtMs: number }
}

/** Whether the chain, as it was last looked at, has taken a transaction of the signer with this nonce. */
export function isNonceUsed({ follow }: Memory, { signer, nonce }: { signer: string; nonce: bigint }): boolean {
  const next = follow.view?.nonces[signer]
  return next !== undefined && next > nonce
}
