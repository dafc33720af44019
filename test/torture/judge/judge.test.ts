/** The judge is trusted only because each of these was planted and found. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Attempt, Hook, ListedOrder, Movement } from './evidence.ts'
import { judge } from './judge.ts'
import { ALICE, answerOf, attempt, BOB, CHARLIE, type Draft, soundEvidence } from './sound-evidence.ts'

/**
 * A way to spoil sound evidence; the judge must find violations of exactly these rules, the first of them about
 * `subject`.
 */
type Planted = { what: string; rules: readonly string[]; subject: string; plant: (evidence: Draft) => void }

const first = <T>(list: readonly T[], is: (item: T) => boolean): T => {
  const found = list.find(is)
  if (found === undefined) throw new Error('nothing to spoil')
  return found
}
const orderOf = (evidence: Draft, reference: string): ListedOrder =>
  first(evidence.orders, (one) => one.reference === reference)
const hookOf = (evidence: Draft, type: string): Hook => first(evidence.hooks, (one) => one.type === type)
const attemptOf = (evidence: Draft, reference: string): Attempt =>
  first(evidence.attempts, (one) => one.reference === reference)
const move = (evidence: Draft, reference: string): Movement =>
  first(evidence.chain.movements, ({ txHash }) => txHash === `0x${reference}`)

function withMovements(evidence: Draft, movements: readonly Movement[]): void {
  evidence.chain = { ...evidence.chain, movements }
}

/** The coin really exists: supply and balance show it too. */
function mintAgain(evidence: Draft): void {
  const again = { ...move(evidence, 'ref-mint'), txHash: '0xagain', blockNumber: 13n }
  const { balances, supplyMicro, movements } = evidence.chain
  const balance = (balances.get(ALICE) ?? 0n) + again.amountMicro
  evidence.chain = {
    ...evidence.chain,
    movements: [...movements, again],
    supplyMicro: supplyMicro + again.amountMicro,
    balances: new Map([...balances, [ALICE, balance]]),
  }
}

/** Books with these balances of accounts, whatever they said of them. */
function rebook(evidence: Draft, balances: Record<string, bigint>): void {
  const books = new Map(evidence.books.map(({ account, balanceMicro }) => [account, balanceMicro]))
  for (const [account, balanceMicro] of Object.entries(balances)) books.set(account, balanceMicro)
  evidence.books = [...books].map(([account, balanceMicro]) => ({ account, balanceMicro }))
}

function change<T extends object>(target: T, changes: Partial<T>): void {
  Object.assign(target, changes)
}

const PLANTED: readonly Planted[] = [
  { what: 'a double mint', rules: ['chain', 'supply', 'balances'], subject: 'ref-mint', plant: mintAgain },
  {
    what: 'blocks that are not one chain',
    rules: ['node'],
    subject: 'chain',
    plant: (evidence) => {
      evidence.chain = { ...evidence.chain, breaks: ['block 7 is not on top of the one before it'] }
    },
  },
  {
    what: 'a mint that never happened',
    rules: ['chain'],
    subject: 'ref-mint',
    plant: (evidence) =>
      withMovements(
        evidence,
        evidence.chain.movements.filter(({ txHash }) => txHash !== '0xref-mint'),
      ),
  },
  {
    what: 'a mint to another wallet',
    rules: ['chain', 'chain'],
    subject: 'ref-mint',
    plant: (evidence) => change(move(evidence, 'ref-mint'), { to: BOB }),
  },
  {
    what: 'a mint of another amount',
    rules: ['chain', 'chain'],
    subject: 'ref-mint',
    plant: (evidence) => change(move(evidence, 'ref-mint'), { amountMicro: 50_000_001n }),
  },
  {
    what: 'a failed order that moved value',
    rules: ['chain'],
    subject: 'ref-failed',
    plant: (evidence) => {
      const moved = { ...move(evidence, 'ref-mint'), to: CHARLIE, amountMicro: 6_000_000n }
      withMovements(evidence, [...evidence.chain.movements, moved])
    },
  },
  {
    what: 'a cancelled order that moved value',
    rules: ['chain'],
    subject: 'ref-cancelled',
    plant: (evidence) => {
      const moved = { ...move(evidence, 'ref-mint'), to: BOB, amountMicro: 5_000_000n }
      withMovements(evidence, [...evidence.chain.movements, moved])
    },
  },
  {
    what: 'a movement that nobody asked for',
    rules: ['chain'],
    subject: '0xthief',
    plant: (evidence) => {
      const stolen = { txHash: '0xthief', blockNumber: 9n, from: ALICE, to: CHARLIE, amountMicro: 3n }
      withMovements(evidence, [...evidence.chain.movements, stolen])
    },
  },
  {
    what: 'coin without an event',
    rules: ['supply', 'balances'],
    subject: 'coin',
    plant: (evidence) => {
      const { chain } = evidence
      const balances = new Map([...chain.balances, [BOB, 9_000_002n]])
      evidence.chain = { ...chain, supplyMicro: chain.supplyMicro + 1n, balances }
    },
  },
  {
    what: 'an order that names another transaction',
    rules: ['transaction'],
    subject: 'ref-redeem',
    plant: (evidence) => change(move(evidence, 'ref-redeem'), { txHash: '0xother' }),
  },
  {
    what: 'a lost order',
    rules: ['orders', 'orders', 'chain', 'supply', 'balances', 'books', 'books', 'webhooks', 'webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      evidence.orders = evidence.orders.filter(({ reference }) => reference !== 'ref-mint')
    },
  },
  {
    what: 'an order that nobody asked for',
    rules: ['orders'],
    subject: 'ref-stranger',
    plant: (evidence) => {
      evidence.orders.push({ ...orderOf(evidence, 'ref-cancelled'), reference: 'ref-stranger' })
      evidence.tables = { ...evidence.tables, orderCount: 6 }
    },
  },
  {
    what: 'an order listed twice',
    rules: ['orders', 'orders'],
    subject: 'list',
    plant: (evidence) => evidence.orders.push(orderOf(evidence, 'ref-cancelled')),
  },
  {
    what: 'an order recorded with another wallet',
    rules: ['orders'],
    subject: 'ref-cancelled',
    plant: (evidence) => change(orderOf(evidence, 'ref-cancelled'), { wallet: ALICE }),
  },
  {
    what: 'an order that was refused and yet exists',
    rules: ['answers', 'orders'],
    subject: 'ref-failed',
    plant: (evidence) => {
      const refused = { reference: 'ref-failed', key: 'k', status: 400, code: 'POLICY_REJECTED', text: '{}' }
      evidence.attempts = evidence.attempts.filter(({ reference }) => reference !== 'ref-failed')
      evidence.attempts.push(attempt(refused))
    },
  },
  {
    what: 'a cancellation that was acknowledged and forgotten',
    rules: ['ends'],
    subject: 'ref-cancelled',
    plant: (evidence) => change(orderOf(evidence, 'ref-cancelled'), { status: 'payment_pending' }),
  },
  {
    what: 'a confirmation that was acknowledged and forgotten',
    rules: ['ends'],
    subject: 'ref-cancelled',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-cancelled')
      const cancel = first(evidence.attempts, ({ purpose }) => purpose === 'cancel')
      change(cancel, { purpose: 'confirm', status: 201, text: answerOf(intent, 'pending') })
      change(orderOf(evidence, 'ref-cancelled'), { status: 'payment_pending' })
    },
  },
  {
    what: 'an order that was found, then not',
    rules: ['looks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const look = {
        reference: 'ref-mint',
        key: '',
        status: 404,
        code: 'NOT_FOUND',
        text: '{}',
        purpose: 'look' as const,
      }
      evidence.attempts.push(attempt({ ...look, startedMs: 40, endedMs: 50 }))
    },
  },
  {
    what: 'an end that changed',
    rules: ['looks'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-mint')
      const look = { reference: 'ref-mint', key: '', status: 200, purpose: 'look' as const }
      evidence.attempts.push(
        attempt({ ...look, text: answerOf(intent, 'completed'), startedMs: 40, endedMs: 50 }),
        attempt({ ...look, text: answerOf(intent, 'processing'), startedMs: 60, endedMs: 70 }),
      )
    },
  },
  {
    what: 'a failure without a cause',
    rules: ['failures'],
    subject: 'ref-failed',
    plant: (evidence) => {
      evidence.frozenWallets = new Set()
    },
  },
  {
    what: 'an order that never ends',
    rules: ['settling'],
    subject: 'ref-failed',
    plant: (evidence) => {
      change(orderOf(evidence, 'ref-failed'), { status: 'processing' })
      evidence.hooks = evidence.hooks.filter(({ type }) => type !== 'mint.failed')
    },
  },
  {
    what: 'a run that does not come to rest',
    rules: ['settling'],
    subject: 'run',
    plant: (evidence) => evidence.unsettled.push('3 deliveries were not acknowledged'),
  },
  {
    what: 'a double payout under another id',
    rules: ['bank', 'bank', 'books', 'books'],
    subject: 'ref-redeem',
    plant: (evidence) => {
      const [payment] = evidence.bank.payments
      if (payment === undefined) throw new Error('no payment')
      evidence.bank = { payments: [payment, { ...payment, payoutId: 'po-2' }], conflicts: [] }
    },
  },
  {
    what: 'a payout that never happened',
    rules: ['bank', 'bank', 'books', 'books'],
    subject: 'ref-redeem',
    plant: (evidence) => {
      evidence.bank = { payments: [], conflicts: [] }
    },
  },
  {
    what: 'a payout of too much, to somebody else',
    rules: ['bank', 'bank', 'bank', 'books', 'books'],
    subject: 'ref-redeem',
    plant: (evidence) => {
      const wrong = { payoutId: 'po-1', reference: 'ref-redeem', amountSen: 7_120n, account: '1' }
      evidence.bank = { payments: [wrong], conflicts: [] }
    },
  },
  {
    what: 'a payout for no redeem',
    rules: ['bank'],
    subject: 'po-9',
    plant: (evidence) => {
      const stray = { payoutId: 'po-9', reference: 'ref-mint', amountSen: 1n, account: '1234567890' }
      evidence.bank = { ...evidence.bank, payments: [...evidence.bank.payments, stray] }
    },
  },
  {
    what: 'a payout id that came again with other details',
    rules: ['bank'],
    subject: 'po-1',
    plant: (evidence) => {
      evidence.bank = { ...evidence.bank, conflicts: ['po-1'] }
    },
  },
  {
    what: 'a redeem that failed and was paid',
    rules: [
      'failures',
      'chain',
      'supply',
      'balances',
      'bank',
      'books',
      'books',
      'books',
      'usage',
      'webhooks',
      'webhooks',
    ],
    subject: 'ref-redeem',
    plant: (evidence) => change(orderOf(evidence, 'ref-redeem'), { status: 'failed' }),
  },
  {
    what: 'transfer usage that was given back twice',
    rules: ['usage'],
    subject: 'key-1 2026-01-02',
    plant: (evidence) => {
      evidence.tables = { ...evidence.tables, transferUsage: [] }
    },
  },
  {
    what: 'mint usage that was given back twice',
    rules: ['usage'],
    subject: 'key-1 ',
    plant: (evidence) => {
      evidence.keys = evidence.keys.map((key) => ({ ...key, mintDayCapMicro: 100_000_000n }))
    },
  },
  {
    what: 'a mint cap that was passed',
    rules: ['caps'],
    subject: 'key-1 2026-01-02',
    plant: (evidence) => {
      evidence.keys = evidence.keys.map((key) => ({ ...key, mintDayCapMicro: 49_999_999n }))
      const mintUsage = [{ keyId: 'key-1', day: '2026-01-02', committedMicro: 50_000_000n }]
      evidence.tables = { ...evidence.tables, mintUsage }
    },
  },
  {
    what: 'withdrawal usage that was taken twice',
    rules: ['usage'],
    subject: 'cus-1 2026-01',
    plant: (evidence) => {
      const row = { customerId: 'cus-1', month: '2026-01-01', committedMicro: 14_246_912n }
      evidence.tables = { ...evidence.tables, withdrawalUsage: [row] }
    },
  },
  {
    what: 'caps that were passed',
    rules: ['caps', 'caps'],
    subject: 'key-1 2026-01-02',
    plant: (evidence) => {
      evidence.keys = [{ keyId: 'key-1', transferDayCapMicro: 9_000_000n, mintDayCapMicro: null }]
      evidence.customers = evidence.customers.map((customer) => ({ ...customer, monthlyCapMicro: 7_000_000n }))
    },
  },
  {
    what: 'an earmark that was never released',
    rules: ['earmarks'],
    subject: ALICE,
    plant: (evidence) => {
      evidence.tables = { ...evidence.tables, earmarks: [{ wallet: ALICE, earmarkedMicro: 9_000_001n }] }
    },
  },
  {
    what: 'an event that never arrived',
    rules: ['webhooks'],
    subject: 'ref-transfer',
    plant: (evidence) => {
      evidence.hooks = evidence.hooks.filter(({ type }) => type !== 'transfer.completed')
    },
  },
  {
    what: 'an event about a cancelled order',
    rules: ['webhooks'],
    subject: 'ref-cancelled',
    plant: (evidence) => {
      const strange = {
        ...hookOf(evidence, 'mint.pending'),
        eventId: 'evt-x',
        reference: 'ref-cancelled',
        amountCoin: '5',
      }
      evidence.hooks.push(strange)
    },
  },
  {
    what: 'a wrong signature',
    rules: ['webhooks'],
    subject: 'ref-redeem',
    plant: (evidence) => change(hookOf(evidence, 'redeem.completed'), { isSigned: false }),
  },
  {
    what: 'an event with another amount',
    rules: ['webhooks'],
    subject: 'ref-redeem',
    plant: (evidence) => change(hookOf(evidence, 'redeem.pending'), { amountCoin: '7.1' }),
  },
  {
    what: 'an event under two ids',
    rules: ['webhooks'],
    subject: 'ref-redeem redeem.completed',
    plant: (evidence) => evidence.hooks.push({ ...hookOf(evidence, 'redeem.completed'), eventId: 'evt-again' }),
  },
  {
    what: 'an event with two bodies',
    rules: ['webhooks'],
    subject: 'evt-ref-redeem-completed',
    plant: (evidence) => evidence.hooks.push({ ...hookOf(evidence, 'redeem.completed'), body: 'another' }),
  },
  {
    what: 'an internal error',
    rules: ['answers'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const crash = { reference: 'ref-mint', key: 'ref-mint-k1', status: 500, code: 'SERVER_ERROR', text: '{}' }
      evidence.attempts.push(attempt(crash))
    },
  },
  {
    what: 'a refusal that does not fit its request',
    rules: ['answers'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const refusal = { reference: 'ref-mint', key: 'ref-mint-k1', status: 401, code: 'UNAUTHORIZED', text: '{}' }
      evidence.attempts.push(attempt(refusal))
    },
  },
  {
    what: 'an answer about another order',
    rules: ['answers', 'replays'],
    subject: 'ref-mint',
    plant: (evidence) => {
      const intent = first(evidence.intents, ({ reference }) => reference === 'ref-transfer')
      change(attemptOf(evidence, 'ref-mint'), { text: answerOf(intent, 'pending') })
    },
  },
  {
    what: 'a repeated request that was carried out as a new one',
    rules: ['replays'],
    subject: 'ref-mint key ref-mint-k1',
    plant: (evidence) =>
      change(
        first(evidence.attempts, ({ isReplay }) => isReplay),
        { isReplay: false },
      ),
  },
  {
    what: 'a process that died, cried for help, or did not stop in order',
    rules: ['processes', 'processes', 'processes'],
    subject: 'died',
    plant: (evidence) => {
      const lastExits = [{ name: 'payer', code: 1 }]
      evidence.processes = { deaths: ['payer ended'], fatals: ['settler: lost a batch'], lastExits }
    },
  },
  {
    what: 'coin that the books do not know',
    rules: ['books', 'books'],
    subject: 'mint_receivable:int-1',
    plant: (evidence) => rebook(evidence, { 'mint_receivable:int-1': 49_000_000n, coins: -41_876_544n }),
  },
  {
    what: 'a burn that was booked twice',
    rules: ['books', 'books'],
    subject: 'coins',
    plant: (evidence) => rebook(evidence, { coins: -35_753_088n, 'redeem_payable:int-1': -7_123_456n }),
  },
  {
    what: 'a payment that the books have twice',
    rules: ['books', 'books'],
    subject: 'payout_clearing',
    plant: (evidence) => rebook(evidence, { payout_clearing: -14_240_000n, 'redeem_payable:int-1': 7_120_000n }),
  },
  {
    what: 'a part of a sen that belongs to another partner',
    rules: ['books', 'books'],
    subject: 'residual:int-1',
    plant: (evidence) => rebook(evidence, { 'residual:int-1': 0n, 'residual:int-2': -3_456n }),
  },
  {
    what: 'a moment at which something was wrong',
    rules: ['moments'],
    subject: 'mints',
    plant: (evidence) => {
      evidence.moments = { looks: 100, wrong: ['mints: 5 is booked, 6 is completed'] }
    },
  },
  {
    what: 'a run at which nobody looked',
    rules: ['moments'],
    subject: 'run',
    plant: (evidence) => {
      evidence.moments = { looks: 0, wrong: [] }
    },
  },
  {
    what: 'an event that happened before the one that comes before it',
    rules: ['webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => change(hookOf(evidence, 'mint.completed'), { happenedAt: '2026-01-02T03:04:05.677Z' }),
  },
  {
    what: 'an event that happened before its order was accepted',
    rules: ['webhooks'],
    subject: 'ref-mint',
    plant: (evidence) => change(hookOf(evidence, 'mint.pending'), { happenedAt: '2026-01-02T03:04:05.677Z' }),
  },
  {
    what: 'a command that is not in the audit log',
    rules: ['audit'],
    subject: 'order.hold int-1/ref-mint',
    plant: (evidence) => {
      evidence.audit = evidence.audit.filter(({ action }) => action !== 'order.hold')
    },
  },
  {
    what: 'a command that is in the audit log twice',
    rules: ['audit'],
    subject: 'order.release int-1/ref-mint',
    plant: (evidence) => evidence.audit.push({ action: 'order.release', target: 'int-1/ref-mint' }),
  },
  {
    what: 'a command that was refused and is in the audit log',
    rules: ['audit'],
    subject: 'order.hold int-1/ref-redeem',
    plant: (evidence) => evidence.audit.push({ action: 'order.hold', target: 'int-1/ref-redeem' }),
  },
  {
    what: 'something in the audit log that nobody did',
    rules: ['audit'],
    subject: 'payout.retry po-9',
    plant: (evidence) => evidence.audit.push({ action: 'payout.retry', target: 'po-9' }),
  },
  {
    what: 'books that the service itself finds wrong',
    rules: ['reconcile'],
    subject: 'service',
    plant: (evidence) => {
      evidence.reconciliation = { ok: false, differences: ['supply: differs'] }
    },
  },
]

describe('the judge', () => {
  it('finds nothing where there is nothing', () => {
    assert.deepEqual(judge(soundEvidence()), [])
  })

  it('takes an unanswered command of an operator either way', () => {
    const evidence = soundEvidence()
    evidence.audit.push({ action: 'payout.retry', target: 'po-1' })
    assert.deepEqual(judge(evidence), [])
    evidence.audit.push({ action: 'payout.retry', target: 'po-1' })
    assert.deepEqual(
      judge(evidence).map(({ message }) => message),
      ['was done 0 to 1 times, and is in the log 2 times'],
    )
  })

  it('takes an unanswered confirmation either way', () => {
    for (const status of ['payment_pending', 'cancelled'] as const) {
      const evidence = soundEvidence()
      const cancel = first(evidence.attempts, ({ purpose }) => purpose === 'cancel')
      change(cancel, { status: 0, text: '' })
      change(orderOf(evidence, 'ref-cancelled'), { status })
      assert.deepEqual(judge(evidence), [])
    }
  })

  for (const { what, rules, subject, plant } of PLANTED) {
    it(`finds ${what}`, () => {
      const evidence = soundEvidence()
      plant(evidence)
      const found = judge(evidence)
      assert.deepEqual(
        found.map(({ rule }) => rule),
        rules,
        JSON.stringify(found, null, 2),
      )
      assert.equal(found[0]?.subject, subject)
    })
  }
})
