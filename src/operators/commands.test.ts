import assert from 'node:assert/strict'
import { test } from 'node:test'
import { COMMANDS, lineOf } from './commands.ts'
import { OPERATOR_ROLES } from './roles.ts'

/** Section by section what must wait for a second person when four eyes are asked for, and nothing else. */
const WAITING = [
  'operator add',
  'operator rotate',
  'key create',
  'key rotate',
  'key set',
  'customer erase',
  'customer release-orders',
  'customer link',
  'customer set',
  'corporate set',
  'wallet add',
  'wallet remove',
  'wallet unfreeze',
  'order release',
  'order reject',
  'order make-good',
  'batch explain',
  'payout release',
  'payout retry',
  'payout mark-paid',
  'payout mark-unpaid',
  'payout refund',
  'payout resettle',
  'payout settle-residual',
  'bank import',
  'bank read-back',
  'bank withdraw-unopened',
  'bank statements withdraw',
  'bank statements bridge',
  'bank unallocated assign',
  'bank unallocated allocate',
  'bank lines take-back',
  'integration add-remitter',
  'integration resume',
  'integration release-orders',
  'integration reject-orders',
  'screening allow',
  'chain resume',
  'chain lost',
  'chain found',
  'secrets lost',
  'counter recount',
]

test('every command and every route has one line', () => {
  for (const field of ['command', 'route'] as const) {
    assert.equal(new Set(COMMANDS.map((line) => line[field])).size, COMMANDS.length, field)
  }
})

test('what waits for approval is on the list, and what only stops something never waits', () => {
  const waiting = COMMANDS.filter(({ approval }) => approval !== undefined)
  assert.deepEqual(waiting.map(({ command }) => command).sort(), [...WAITING].sort())
  for (const { command, approval } of COMMANDS) {
    if (/ (pause|hold|revoke|suspend|deny|freeze|disable)$/.test(command)) assert.equal(approval, undefined, command)
  }
})

test('nobody has every role, and a viewer changes nothing but their own token', () => {
  for (const { command, roles } of COMMANDS) assert.ok(roles.length > 0, command)
  for (const role of OPERATOR_ROLES)
    assert.ok(
      COMMANDS.some(({ roles }) => !roles.includes(role)),
      role,
    )
  const changes = COMMANDS.filter(({ route, roles }) => route.startsWith('POST') && roles.includes('viewer'))
  assert.deepEqual(
    changes.map(({ command }) => command),
    ['operator sign-out', 'operator rotate'],
  )
})

test('a route without a line is refused, and HEAD counts as GET', () => {
  assert.equal(lineOf('HEAD', '/payouts'), lineOf('GET', '/payouts'))
  assert.throws(() => lineOf('POST', '/payouts'), /no line in src\/operators\/commands.ts/)
})
