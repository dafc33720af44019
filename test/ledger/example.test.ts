/** The example in docs/BOOKS.md is what the service would book. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { accountOf } from '../../src/ledger/accounts.ts'
import { type Entry, entriesOfSettled, entryOfPayout } from '../../src/ledger/postings.ts'
import { formatAmount } from '../../src/money.ts'
import { splitAmount } from '../../src/payouts/split.ts'
import { entryOfLine } from '../../src/statements/postings.ts'

const NOW = new Date('2026-11-21T12:00:00Z')
const SEN = 10_000n
const MINTED_MICRO = 5_500_000n
const BURNT_MICRO = 1_234_567n

const document = readFileSync(path.join(import.meta.dirname, '../../docs/BOOKS.md'), 'utf8')
const [, example = ''] = /\n\*\*Example\.\*\*([\s\S]*?)\n## /.exec(document) ?? []
const [entryTable = [], balanceTable = []] = example
  .split(/\n\n(?=\|)/)
  .slice(1)
  .map((table) =>
    table
      .split('\n')
      .slice(2)
      .filter((line) => line.startsWith('|'))
      .map((line) =>
        line
          .split('|')
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('`', '')),
      ),
  )

/** What is booked, in the order of the example. */
function entriesOfExample(): Entry[] {
  const { amountSen: payoutSen } = splitAmount(BURNT_MICRO, 0n)
  const settled = entriesOfSettled({
    chainId: 1,
    source: 'batch/1/7',
    effectiveAt: NOW,
    minted: [{ integrationId: 'int_a', amountMicro: MINTED_MICRO, feeMicro: 0n }],
    burnt: [{ integrationId: 'int_a', amountMicro: BURNT_MICRO, feeMicro: 0n, payoutSen }],
  })
  const payment = (what: 'sent' | 'paid' | 'returned', attempt: number, bankAccount = '') =>
    entryOfPayout({
      payoutId: 'po_a7c07c844843e77734b3c971',
      attempt,
      timesSent: 1,
      integrationId: 'int_a',
      rail: 'http-1f8a0c3d',
      amountSen: payoutSen,
      effectiveAt: NOW,
      what,
      bankAccount,
    })
  const line = (place: string, amountMicro: bigint, explainedBy: Parameters<typeof entryOfLine>[1]) =>
    entryOfLine(
      { bankAccount: 'main', place: `main/S1/${place}`, amountMicro, bookedOn: '2026-11-21' },
      explainedBy,
      NOW,
    )
  return [
    ...settled,
    payment('sent', 1),
    payment('paid', 1, 'http-1f8a0c3d'),
    line('1.1', -payoutSen * SEN, accountOf('reserve', 'http-1f8a0c3d')),
    line('2.1', MINTED_MICRO, accountOf('mint_receivable', 'int_a')),
    payment('returned', 1, 'main'),
    payment('sent', 2),
    payment('paid', 2, 'main'),
  ]
}

test('its entries are those of the service', () => {
  const booked = entriesOfExample().flatMap(({ reference, lines }) =>
    lines.map(({ account, amountMicro }, index) => [index === 0 ? reference : '', account, formatAmount(amountMicro)]),
  )
  assert.ok(entryTable.length > 10)
  assert.deepEqual(entryTable, booked)
})

test('its balances are what the entries come to', () => {
  const balances = new Map<string, bigint>()
  for (const { account, amountMicro } of entriesOfExample().flatMap(({ lines }) => lines))
    balances.set(account, (balances.get(account) ?? 0n) + amountMicro)
  const left = [...balances].filter(([, amountMicro]) => amountMicro !== 0n)
  assert.ok(left.length > 0)
  assert.deepEqual(
    Object.fromEntries(balanceTable),
    Object.fromEntries(left.map(([account, amountMicro]) => [account, formatAmount(amountMicro)])),
  )
})
