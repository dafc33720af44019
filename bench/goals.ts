/** The numbers to reach, as data: the only place where the benchmarks that measure them, and the summary, have them from. */

export type Goal = { what: string; bound: number; atLeast: boolean }
/** @property against what it is compared with, if it is a ratio */
type Row = Goal & { against?: string; bench: string }

const atLeast = (bound: number) => ({ bound, atLeast: true })
const atMost = (bound: number) => ({ bound, atLeast: false })

export const GOALS = {
  accept: {
    ...{ bench: 'accept', what: 'accepted `POST /v1/mints` per second, one API process', ...atLeast(0.4) },
    against: '`pgbench` inserting one row with one unique key, same server, same number of connections',
  },
  read: {
    ...{ bench: 'read', what: '`GET /v1/transactions/{referenceId}` per second', ...atLeast(0.5) },
    against: 'the same Fastify answering a constant JSON of that size with no checks',
  },
  transfers: {
    ...{ bench: 'transfers', what: 'transfers per second of one key from many wallets', ...atLeast(0.5) },
    against: 'mints per second in the same run, `commit_delay` of 5 ms',
  },
  wal: { bench: 'wal', what: 'WAL of a mint from acceptance to `completed`, one endpoint, bytes', ...atMost(4_096) },
  writes: { bench: 'writes', what: "times an order's row is written in its life", ...atMost(3) },
  kept: { bench: 'rows', what: 'kept bytes of an order after its retention', ...atMost(1_500) },
  gasExisting: {
    ...{ bench: 'gas', what: 'gas per mint in a full batch, existing wallet', ...atMost(0.26) },
    against: 'one OpenZeppelin mint in a transaction of its own',
  },
  gasFresh: {
    ...{ bench: 'gas', what: 'gas per mint in a full batch, fresh wallet', ...atMost(0.51) },
    against: 'one OpenZeppelin mint in a transaction of its own',
  },
  calldataMint: { bench: 'gas', what: 'calldata of a mint instruction, tag included, bytes', ...atMost(37) },
  calldataTransfer: { bench: 'gas', what: 'calldata of a transfer instruction, tag included, bytes', ...atMost(57) },
  block: {
    ...{ bench: 'settlement', what: 'orders settled per block under load', ...atLeast(0.95) },
    against: 'what the block gas limit allows at that gas per order',
  },
  completed: {
    ...{ bench: 'settlement', what: 'time from POST to `completed`', ...atMost(1) },
    against: 'time to the next block + confirmations × block time',
  },
  webhooks: {
    ...{ bench: 'webhooks', what: 'webhook deliveries per second', ...atLeast(0.5) },
    against: 'bare HTTPS POSTs from the same process',
  },
  list: {
    ...{ bench: 'list', what: 'cost of listing a page with 1,000,000 orders stored', ...atMost(1.2) },
    against: 'with 1,000',
  },
  reconcile: {
    ...{ bench: 'reconcile', what: 'cost of reconciling with 1,000,000 orders stored', ...atMost(1.5) },
    against: 'with 1,000',
  },
  memory: { bench: 'memory', what: 'memory of the API process after 1,000,000 orders, peak MB', ...atMost(250) },
  suite: { bench: 'suite', what: '`npm test` on two cores, minutes', ...atMost(10) },
  start: { bench: 'start', what: 'start to serving, embedded sandbox, second start, seconds', ...atMost(3) },
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
