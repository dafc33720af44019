/** The numbers to reach, as data: the only place where the benchmarks that measure them, and the summary, have them from. */

export type Goal = { what: string; bound: number; atLeast: boolean }
/**
 * @property bench the benchmark that measures it
 * @property short what a chart calls it
 * @property against what it is compared with, if it is a ratio
 */
type Row = Goal & { bench: string; short: string; against?: string }

const atLeast = (bound: number) => ({ bound, atLeast: true })
const atMost = (bound: number) => ({ bound, atLeast: false })

export const GOALS = {
  accept: {
    bench: 'accept',
    short: 'mints accepted',
    ...atLeast(0.4),
    what: 'accepted `POST /v1/mints` per second, one API process',
    against: '`pgbench` inserting one row with one unique key, same server, same number of connections',
  },
  read: {
    bench: 'read',
    short: 'orders read',
    ...atLeast(0.5),
    what: '`GET /v1/transactions/{referenceId}` per second',
    against: 'the same Fastify answering a constant JSON of that size with no checks',
  },
  transfers: {
    bench: 'transfers',
    short: 'transfers accepted',
    ...atLeast(0.5),
    what: 'transfers per second of one key from many wallets',
    against: 'mints per second in the same run, `commit_delay` of 5 ms',
  },
  wal: {
    bench: 'wal',
    short: 'log of a mint, bytes',
    ...atMost(4_096),
    what: 'WAL of a mint from acceptance to `completed`, one endpoint, bytes',
  },
  writes: {
    bench: 'writes',
    short: 'writes of a row',
    ...atMost(3),
    what: "times an order's row is written in its life",
  },
  kept: {
    bench: 'rows',
    short: 'kept of an order, bytes',
    ...atMost(1_500),
    what: 'kept bytes of an order after its retention',
  },
  gasExisting: {
    bench: 'gas',
    short: 'gas, existing wallet',
    ...atMost(0.26),
    what: 'gas per mint in a full batch, existing wallet',
    against: 'one OpenZeppelin mint in a transaction of its own',
  },
  gasFresh: {
    bench: 'gas',
    short: 'gas, fresh wallet',
    ...atMost(0.51),
    what: 'gas per mint in a full batch, fresh wallet',
    against: 'one OpenZeppelin mint in a transaction of its own',
  },
  calldataMint: {
    bench: 'gas',
    short: 'calldata of a mint, bytes',
    ...atMost(37),
    what: 'calldata of a mint instruction, tag included, bytes',
  },
  calldataTransfer: {
    bench: 'gas',
    short: 'calldata of a transfer, bytes',
    ...atMost(57),
    what: 'calldata of a transfer instruction, tag included, bytes',
  },
  block: {
    bench: 'settlement',
    short: 'orders in a block',
    ...atLeast(0.95),
    what: 'orders settled per block under load',
    against: 'what the block gas limit allows at that gas per order',
  },
  completed: {
    bench: 'settlement',
    short: 'POST to completed',
    ...atMost(1),
    what: 'time from POST to `completed`',
    against: 'time to the next block + confirmations × block time',
  },
  webhooks: {
    bench: 'webhooks',
    short: 'webhooks delivered',
    ...atLeast(0.5),
    what: 'webhook deliveries per second',
    against: 'bare HTTPS POSTs from the same process',
  },
  list: {
    bench: 'list',
    short: 'a page among 1,000,000',
    ...atMost(1.2),
    what: 'cost of listing a page with 1,000,000 orders stored',
    against: 'with 1,000',
  },
  reconcile: {
    bench: 'reconcile',
    short: 'reconcile with 1,000,000',
    ...atMost(1.5),
    what: 'cost of reconciling with 1,000,000 orders stored',
    against: 'with 1,000',
  },
  memory: {
    bench: 'memory',
    short: 'memory, MB',
    ...atMost(250),
    what: 'memory of the API process after 1,000,000 orders, peak MB',
  },
  suite: {
    bench: 'suite',
    short: 'npm test, minutes',
    ...atMost(10),
    what: '`npm test` on two cores, minutes',
  },
  start: {
    bench: 'start',
    short: 'second start, seconds',
    ...atMost(3),
    what: 'start to serving, embedded sandbox, second start, seconds',
  },
} as const satisfies Readonly<Record<string, Row>>

export type GoalName = keyof typeof GOALS

/** Whether a measured number is what its goal asks for; what is no number is not. */
export function isReached({ bound, atLeast: least }: Goal, measured: number): boolean {
  return least ? measured >= bound : measured <= bound
}

/** `at least 0.5`, for people. */
export function describeGoal({ bound, atLeast: least }: Goal): string {
  return `${least ? 'at least' : 'at most'} ${bound.toLocaleString('en-US')}`
}

/** The row of a goal, and what it is compared with if anything. */
export function goalOf(name: GoalName): Row {
  return GOALS[name]
}
