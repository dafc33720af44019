import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { OperatorError } from './errors.ts'
import { parseDay, parseDuration, readInstant } from './instants.ts'

const DAY_MS = 86_400_000

describe('instants of operators', () => {
  it('round-trip in ISO 8601', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('2000-01-01'), max: new Date('2199-12-31'), noInvalidDate: true }),
        (date) => {
          assert.equal(readInstant('at', date.toISOString()).getTime(), date.getTime())
          const day = date.toISOString().slice(0, 10)
          assert.equal(parseDay('on', day), day)
        },
      ),
    )
    assert.equal(readInstant('at', '2026-01-31').toISOString(), '2026-01-31T00:00:00.000Z')
    assert.equal(readInstant('at', '2026-01-31T08:00+08:00').toISOString(), '2026-01-31T00:00:00.000Z')
  })

  it('are refused in any other form, and when no calendar has them', () => {
    for (const text of [
      '',
      'now',
      '2026',
      '2026-02-30',
      '2026-13-01',
      '2026-01-31T25:00Z',
      '2026-01-31T10:00',
      '31/01/2026',
    ]) {
      assert.throws(() => readInstant('at', text), OperatorError, text)
    }
    for (const text of ['2026-02-29', '2026-1-1', '2026-01-31T00:00:00Z']) {
      assert.throws(() => parseDay('on', text), OperatorError, text)
    }
  })
})

describe('durations', () => {
  it('have a unit, unless they are zero, and a bound', () => {
    const cases = { '0': 0, '0d': 0, '90s': 90_000, '10m': 600_000, '12h': DAY_MS / 2, '7d': 7 * DAY_MS }
    for (const [text, ms] of Object.entries(cases)) assert.equal(parseDuration('for', text, 90 * DAY_MS), ms)
    for (const text of ['', '7', '-1d', '1w', '1.5h', '91d', '9999999d', '7 d']) {
      assert.throws(() => parseDuration('for', text, 90 * DAY_MS), /at most 90d/, text)
    }
  })
})
