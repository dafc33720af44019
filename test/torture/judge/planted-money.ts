import { change, mintAgain, move, orderOf, type Planted, rebook, withMovements } from './planting.ts'
import { ALICE, BOB, CHARLIE } from './sound-evidence.ts'

export const PLANTED_MONEY: readonly Planted[] = [
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
]
