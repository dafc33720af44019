/** The guide of order states against the states that orders have. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { phaseOf } from '../../src/orders/life/phase.ts'
import { STATES } from '../../src/orders/life/states.ts'
import { type Order, STATUSES } from '../../src/orders/order.ts'
import { PAYOUT_STATUSES, type PayoutStatus } from '../../src/payouts/payout.ts'

const guide = readFileSync(path.join(import.meta.dirname, '../../docs/guides/order-states.md'), 'utf8')

/** The first two cells of each row of the table that begins with this head. */
function rowsUnder(head: string): [string, string][] {
  const [, table = ''] = guide.split(`| ${head} |`)
  const lines = (table.split('\n\n')[0] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  return lines.map(
    (line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()) as [string, string],
  )
}
const namedIn = (cell: string) => [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? '')

/** In which payouts a burnt redeem can be that waits, and one that is completed. */
const WAITING: readonly PayoutStatus[] = ['queued', 'held', 'rejected']
const payoutsOf = (status: string): readonly (PayoutStatus | undefined)[] =>
  status === 'completed' ? [undefined, ...PAYOUT_STATUSES] : status === 'processing' ? WAITING : [undefined]

test('each phase that a partner can see stands there, beside the statuses that it can come with', () => {
  const seen = new Map<string, Set<string>>()
  const see = (phase: string, status: string) => seen.set(phase, (seen.get(phase) ?? new Set()).add(status))
  for (const { phase, status } of Object.values(STATES)) see(phase, status)
  for (const status of STATUSES) {
    for (const payoutStatus of payoutsOf(status)) {
      see(phaseOf({ status, batchStatus: null, payoutStatus } as Parameters<typeof phaseOf>[0] & Order), status)
    }
  }
  let above = ''
  const told = rowsUnder('phase').map(([phase, statuses]) => {
    above = statuses === 'as above' ? above : statuses
    return [namedIn(phase)[0] ?? '', namedIn(above).sort()] as const
  })
  const sorted = [...seen].map(([phase, statuses]) => [phase, [...statuses].sort()] as const)
  assert.deepEqual(Object.fromEntries(told), Object.fromEntries(sorted))
})

test('the statuses are the six', () => {
  assert.deepEqual(
    rowsUnder('status').map(([status]) => namedIn(status)[0]),
    [...STATUSES],
  )
})
