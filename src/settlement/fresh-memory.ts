/** The memory of a process that has just begun. */

import type { GasPerOrder } from './form/pace.ts'
import { FIRST_SEARCH } from './form/search.ts'
import { FIRST_TURNS } from './form/turns.ts'
import { NOTHING_UNANSWERED } from './form/unanswered.ts'
import type { Hold, Memory } from './memory.ts'

const NO_HOLD: Hold = { reason: 'none', details: {} }

/** The cost of mints to fresh wallets (bench/results/gas.md), used until the first batches are measured. */
const FIRST_GAS_PER_ORDER: GasPerOrder = { used: 26_000n, limit: 29_500n }

/** Remembers nothing. Each call makes one of its own. */
export function freshMemory(): Memory {
  return {
    blocks: { number: -1n, seenAtMs: 0, intervalMs: undefined, lately: [], quiet: undefined },
    finality: { askedAtHash: undefined, block: -1n },
    follow: {
      recordedHash: undefined,
      recordedFinal: undefined,
      view: undefined,
      noncesAtBlock: undefined,
      usedSince: new Map(),
      seen: { hash: undefined, toldAtMs: Number.NEGATIVE_INFINITY },
      behindSinceMs: undefined,
      longest: undefined,
      hasForeignBatch: false,
      hasUnread: undefined,
      readOn: undefined,
    },
    watch: {
      looks: [],
      effects: new Map(),
      oldBatchId: undefined,
      powers: undefined,
      isPaused: false,
      timelockBlock: undefined,
      timelockOver: new Map(),
      failures: 0,
      timelockFailures: 0,
      stop: { isUnderWay: false, isDone: false, triedAtMs: Number.NEGATIVE_INFINITY },
    },
    recheck: freshRecheck(),
    limits: { isUnderWay: false, publishedAtMs: Number.NEGATIVE_INFINITY },
    gaps: { sinceMs: undefined, offered: new Map() },
    form: freshForm(),
    market: undefined,
    bump: { seenAtBlock: new Map() },
    holds: freshHolds(),
    lag: { isUnderWay: false, countedAtMs: Number.NEGATIVE_INFINITY },
    handOver: { triedAtHash: undefined, unable: undefined },
    numbers: { countedAtMs: Number.NEGATIVE_INFINITY },
  }
}

/** What is known of final batches is looked for anew. */
export function freshRecheck(): Memory['recheck'] {
  return {
    on: undefined,
    doneAtMs: Number.NEGATIVE_INFINITY,
    told: new Set(),
    usedSince: new Map(),
    seenAtBlock: new Map(),
    replaced: undefined,
    gone: undefined,
    older: undefined,
    isBranchKnown: false,
    waitingUpTo: 0n,
    lostAtHead: undefined,
    unsigned: undefined,
  }
}

function freshForm(): Memory['form'] {
  return {
    gasPerOrder: FIRST_GAS_PER_ORDER,
    expected: new Map(),
    isCutting: false,
    fullAtHash: undefined,
    oversizedCountedAtMs: Number.NEGATIVE_INFINITY,
    search: FIRST_SEARCH,
    turns: FIRST_TURNS,
    blocked: new Set(),
    unanswered: NOTHING_UNANSWERED,
    unsigningUntilMs: new Map(),
    runsCode: new Set(),
    othersReadOn: undefined,
    areSomeUnfenced: false,
    shortOfReserve: false,
    reserve: {},
    reserveWarnedAtMs: Number.NEGATIVE_INFINITY,
  }
}

function freshHolds(): Memory['holds'] {
  return {
    held: NO_HOLD,
    undecided: undefined,
    unended: undefined,
    unlocated: undefined,
    unmined: undefined,
    fence: undefined,
    waiting: undefined,
    notBeforeMs: 0,
    told: 'none',
    published: { key: '', atMs: 0 },
    failingSinceMs: undefined,
  }
}
