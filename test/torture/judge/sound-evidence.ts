/** Evidence of a small run in which everything is as it should be: what the judge's tests spoil. */
import type { Attempt, Evidence, Hook, Intent, ListedOrder, Movement } from './evidence.ts'

const NOBODY = `0x${'0'.repeat(40)}`
export const ALICE = `0x${'a'.repeat(40)}`
export const BOB = `0x${'b'.repeat(40)}`
export const CHARLIE = `0x${'c'.repeat(40)}`

/** Evidence of which every field may be replaced; each call gets fresh lists. */
export type Draft = {
  -readonly [K in keyof Evidence]: Evidence[K] extends readonly (infer T)[] ? T[] : Evidence[K]
}

type Sketch = { reference: string; status: string } & Pick<Intent, 'direction' | 'amountMicro' | 'wallet' | 'debited'>

/** A mint, a redeem and a transfer that were completed, a mint that was cancelled, and one that failed: Charlie is frozen. */
const SKETCHES: readonly Sketch[] = [
  {
    reference: 'ref-mint',
    direction: 'MINT',
    status: 'completed',
    amountMicro: 50_000_000n,
    wallet: ALICE,
    debited: null,
  },
  {
    reference: 'ref-redeem',
    direction: 'REDEEM',
    status: 'completed',
    amountMicro: 7_123_456n,
    wallet: ALICE,
    debited: ALICE,
  },
  {
    reference: 'ref-transfer',
    direction: 'TRANSFER',
    status: 'completed',
    amountMicro: 9_000_001n,
    wallet: BOB,
    debited: ALICE,
  },
  {
    reference: 'ref-cancelled',
    direction: 'MINT',
    status: 'cancelled',
    amountMicro: 5_000_000n,
    wallet: BOB,
    debited: null,
  },
  {
    reference: 'ref-failed',
    direction: 'MINT',
    status: 'failed',
    amountMicro: 6_000_000n,
    wallet: CHARLIE,
    debited: null,
  },
]

export function soundEvidence(): Draft {
  const orders = SKETCHES.map(orderOf)
  return {
    customers: [{ customerId: 'cus-1', bankAccount: '1234567890', monthlyCapMicro: 10_000_000n }],
    keys: [{ keyId: 'key-1', transferDayCapMicro: 10_000_000n, mintDayCapMicro: null }],
    intents: SKETCHES.map(intentOf),
    attempts: SKETCHES.flatMap(attemptsOf),
    orders,
    chain: {
      movements: SKETCHES.filter(({ status }) => status === 'completed').map(movementOf),
      supplyMicro: 42_876_544n,
      balances: new Map([
        [ALICE, 33_876_543n],
        [BOB, 9_000_001n],
        [CHARLIE, 0n],
      ]),
      breaks: [],
    },
    bank: {
      payments: [{ payoutId: 'po-1', reference: 'ref-redeem', amountSen: 712n, account: '1234567890' }],
      conflicts: [],
    },
    hooks: SKETCHES.flatMap(hooksOf),
    tables: {
      orderCount: orders.length,
      mintUsage: [],
      transferUsage: [{ keyId: 'key-1', day: '2026-01-02', committedMicro: 9_000_001n }],
      withdrawalUsage: [{ customerId: 'cus-1', month: '2026-01-01', committedMicro: 7_123_456n }],
      earmarks: [{ wallet: ALICE, earmarkedMicro: 0n }],
    },
    books: [
      { account: 'mint_receivable:int-1', balanceMicro: 50_000_000n },
      { account: 'coins', balanceMicro: -42_876_544n },
      { account: 'redeem_payable:int-1', balanceMicro: 0n },
      { account: 'payout_clearing', balanceMicro: -7_120_000n },
      { account: 'residual:int-1', balanceMicro: -3_456n },
    ],
    moments: { looks: 100, wrong: [] },
    commands: [
      { action: 'order.hold', target: 'int-1/ref-mint', outcome: 'done' },
      { action: 'order.release', target: 'int-1/ref-mint', outcome: 'done' },
      { action: 'order.hold', target: 'int-1/ref-redeem', outcome: 'refused' },
      { action: 'payout.retry', target: 'po-1', outcome: 'unknown' },
    ],
    audit: [
      { action: 'order.release', target: 'int-1/ref-mint' },
      { action: 'order.hold', target: 'int-1/ref-mint' },
      { action: 'wallet.add.begun', target: 'cus-1' },
    ],
    processes: { deaths: [], fatals: [], lastExits: [{ name: 'api-1', code: 0 }] },
    frozenWallets: new Set([CHARLIE]),
    unsettled: [],
    reconciliation: { ok: true, differences: [] },
  }
}

function intentOf({ status, ...rest }: Sketch): Intent {
  const parties = { integrationId: 'int-1', keyId: 'key-1', customerId: 'cus-1' }
  return { ...rest, ...parties, confirmed: status !== 'cancelled' }
}

function orderOf(sketch: Sketch): ListedOrder {
  const { reference, direction, status, wallet, amountMicro } = sketch
  const isDone = status === 'completed'
  return {
    integrationId: 'int-1',
    reference,
    direction,
    status,
    phase: isDone ? 'COMPLETED' : 'FAILED',
    wallet,
    amountMicro,
    txHash: isDone ? `0x${reference}` : null,
    blockNumber: isDone ? 12n : null,
    createdAt: '2026-01-02T03:04:05.678Z',
  }
}

function attemptsOf(sketch: Sketch): Attempt[] {
  const { reference, status } = sketch
  const first = status === 'cancelled' ? 'payment_pending' : 'pending'
  const create = attempt({ reference, key: `${reference}-k1`, status: 201, text: answerOf(sketch, first) })
  const lost = attempt({ reference, key: `${reference}-k1`, status: 0, text: '' })
  const replay = { ...create, startedMs: 20, endedMs: 30, isReplay: true }
  const cancel = attempt({
    reference,
    key: `${reference}-cancel`,
    status: 200,
    text: answerOf(sketch, 'cancelled'),
    purpose: 'cancel',
  })
  return [create, lost, replay, ...(status === 'cancelled' ? [cancel] : [])]
}

/** An attempt that began at 0 and was answered at 10. */
export function attempt(given: Pick<Attempt, 'reference' | 'key' | 'status' | 'text'> & Partial<Attempt>): Attempt {
  return { purpose: 'create', startedMs: 0, endedMs: 10, code: '', isReplay: false, ...given }
}

/** The body of an answer about an order of `soundEvidence`. */
export function answerOf(
  order: Pick<Sketch, 'reference' | 'direction' | 'amountMicro' | 'wallet'>,
  status: string,
): string {
  const { reference: referenceId, direction, amountMicro, wallet: walletAddress } = order
  return JSON.stringify({
    ok: true,
    referenceId,
    status,
    direction,
    walletAddress,
    amounts: { amountRaw: `${amountMicro}` },
  })
}

function movementOf({ reference, direction, wallet, debited, amountMicro }: Sketch): Movement {
  const to = direction === 'REDEEM' ? NOBODY : wallet
  return { txHash: `0x${reference}`, blockNumber: 12n, from: debited ?? NOBODY, to, amountMicro }
}

function hooksOf(sketch: Sketch): Hook[] {
  const { direction, status } = sketch
  if (status === 'cancelled') return []
  const states = direction === 'TRANSFER' ? [status] : ['pending', status]
  return states.map((state) => hook(sketch, state))
}

function hook({ reference, direction, status, amountMicro }: Sketch, state: string): Hook {
  const type = `${direction.toLowerCase()}.${state}`
  return {
    integrationId: 'int-1',
    isSigned: true,
    eventId: `evt-${reference}-${state}`,
    type,
    reference,
    status: state,
    amountCoin: `${amountMicro / 1_000_000n}.${(amountMicro % 1_000_000n).toString().padStart(6, '0')}`,
    txHash: state === 'completed' && status === 'completed' ? `0x${reference}` : null,
    happenedAt: `2026-01-02T03:04:${state === 'pending' ? '05.678' : '15.000'}Z`,
    body: `${reference} ${state}`,
  }
}
