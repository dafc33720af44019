/** The judge is trusted only because each of these was planted and found. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judge } from './judge.ts'
import { PLANTED_MONEY } from './planted-money.ts'
import { PLANTED_WORDS } from './planted-words.ts'
import { change, first, orderOf } from './planting.ts'
import { soundEvidence } from './sound-evidence.ts'

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

  for (const { what, rules, subject, plant } of [...PLANTED_MONEY, ...PLANTED_WORDS]) {
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
