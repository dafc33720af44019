import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Approval, digestOf, whyNotDecide, whyNotRun } from './approval.ts'

const waiting = (over: Partial<Approval>): Approval => ({
  approvalId: 'apr_0123456789abcdef',
  command: 'chain resume',
  target: '',
  method: 'POST',
  path: '/x',
  body: 'sb1.',
  requestedBy: 'opr_1',
  requestedByName: 'Aminah',
  requesterIssuer: null,
  isExpired: false,
  status: 'waiting',
  requesterPerson: over.requestedBy ?? 'opr_1',
  isEmergency: false,
  hasRequesterLeft: false,
  deciderRole: null,
  createdAt: new Date(0),
  expiresAt: new Date(0),
  decidedBy: null,
  decidedByName: null,
  decidedAt: null,
  reason: null,
  withdrawnByName: null,
  usedAt: null,
  outcome: null,
  ...over,
})

test('whoever approves came the same way as who asked, and is somebody else; anybody who may run it rejects', () => {
  const ways = [null, 'https://one.test', 'https://two.test']
  for (const requesterIssuer of ways) {
    for (const issuer of ways) {
      const approval = waiting({ requesterIssuer })
      const decide = (operatorId: string, decision: 'approved' | 'rejected') =>
        whyNotDecide(approval, { operatorId, person: operatorId, issuer, isEmergency: false, mayRun: true }, decision)
      assert.equal(decide('opr_2', 'approved') === undefined, requesterIssuer === issuer)
      assert.equal(decide('opr_2', 'rejected'), undefined)
      assert.match(decide('opr_1', 'approved') ?? '', /asked for .* yourself/)
    }
  }
})

test('whom break-glass has made decides with anybody else, whatever way they come, but never with themselves', () => {
  const ways = [null, 'https://one.test', 'https://two.test']
  for (const [isAsking, isDeciding] of [
    [true, false],
    [false, true],
    [true, true],
  ] as const) {
    for (const issuer of ways) {
      const approval = waiting({ requesterIssuer: isAsking ? null : issuer, isEmergency: isAsking })
      const decider = { operatorId: 'opr_2', issuer: isDeciding ? null : issuer, isEmergency: isDeciding, mayRun: true }
      assert.equal(whyNotDecide(approval, { ...decider, person: 'opr_2' }, 'approved'), undefined)
      assert.match(whyNotDecide(approval, { ...decider, person: 'opr_1' }, 'approved') ?? '', /by another way in/)
      assert.equal(whyNotDecide(approval, { ...decider, person: 'opr_1' }, 'rejected'), undefined)
    }
  }
})

test('nobody approves what OPERATOR_TOKEN asked for', () => {
  const approval = waiting({ requestedBy: 'operator' })
  const decider = { operatorId: 'opr_2', person: 'opr_2', issuer: null, isEmergency: false, mayRun: true }
  assert.match(whyNotDecide(approval, decider, 'approved') ?? '', /belongs to nobody/)
  assert.equal(whyNotDecide(approval, decider, 'rejected'), undefined)
})

test('what was decided is decided no more, and whoever tries is told what it is now', () => {
  const decider = { operatorId: 'opr_2', person: 'opr_2', issuer: null, isEmergency: false, mayRun: true }
  for (const status of ['approved', 'rejected', 'withdrawn', 'used', 'void'] as const) {
    for (const decision of ['approved', 'rejected'] as const) {
      assert.match(whyNotDecide(waiting({ status }), decider, decision) ?? '', new RegExp(`it is ${status}\\.$`))
    }
  }
})

test('whoever cannot run what was asked for is told why', () => {
  const asking = { operatorId: 'opr_1', isAsApproved: true }
  const told = (over: Partial<Approval>) => whyNotRun(waiting({ ...over, reason: 'a reason' }), asking) ?? 'it runs'
  const usedAt = new Date('2026-11-20T08:00:00Z')
  assert.equal(told({ status: 'approved' }), 'it runs')
  assert.match(told({ status: 'approved', isExpired: true }), /has expired/)
  assert.match(told({ status: 'rejected', decidedByName: 'Bala' }), /was rejected by Bala: a reason\.$/)
  const taken = { status: 'withdrawn', decidedByName: 'Bala', withdrawnByName: 'Aminah' } as const
  assert.match(told(taken), /was taken back by Aminah: a reason\.$/)
  assert.match(told({ status: 'void' }), /is void: a reason\. Ask again/)
  assert.match(told({ status: 'used', usedAt, outcome: 'done' }), /was used at 2026-11-20T08:00:00.000Z \(done\)/)
  assert.match(told({ status: 'used', usedAt }), /nobody knows how it ended/)
})

test('the digest of plain data is the same whatever the order of its fields, and of what is in a set', () => {
  const seen = { scopes: new Set(['a', 'b']), amountMicro: 10n ** 20n }
  assert.equal(digestOf(seen), digestOf({ amountMicro: 10n ** 20n, scopes: new Set(['b', 'a']) }))
  assert.notEqual(digestOf(seen), digestOf({ ...seen, amountMicro: 10n ** 20n + 1n }))
  assert.notEqual(digestOf(['a', 'b']), digestOf(['b', 'a']))
})
