import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { EARLIEST, LATEST, parseInstant, parseInstantInQuery } from './instant.ts'

test('reads dates and times with their zone', () => {
  const cases: [string, string, boolean?][] = [
    ['2026-03-01T08:00:00.000Z', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T08:00:00Z', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T08:00Z', '2026-03-01T08:00:00.000Z'],
    ['2026-03-01T08:00:00.5+08:00', '2026-03-01T00:00:00.500Z'],
    ['2026-03-01T00:00:00-05:30', '2026-03-01T05:30:00.000Z'],
    ['2026-03-01T08:00:00+0830', '2026-02-28T23:30:00.000Z'],
    ['2026-03-01T08:00:00-08', '2026-03-01T16:00:00.000Z'],
    ['2026-03-01T08:00:00,25Z', '2026-03-01T08:00:00.250Z'],
    ['2026-03-01', '2026-03-01T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-03-01T08:00:00.123000000Z', '2026-03-01T08:00:00.123Z'],
    ['2026-03-01T08:00:00.1230001Z', '2026-03-01T08:00:00.123Z', true],
  ]
  for (const [text, iso, hasRemainder = false] of cases) {
    const instant = parseInstant(text)
    assert.deepEqual([instant?.at.toISOString(), instant?.hasRemainder], [iso, hasRemainder], text)
  }
})

test('in a query, a blank where a zone begins is its plus, and no other blank is anything', () => {
  for (const zone of ['08:00', '0800', '08']) {
    for (const time of ['T08:00', 'T08:00:00', 'T08:00:00.5', 'T08:00:00,5']) {
      const [blank, plus] = [' ', '+'].map((sign) => `2026-03-01${time}${sign}${zone}`) as [string, string]
      assert.deepEqual(parseInstantInQuery(blank), parseInstant(plus), blank)
      assert.notEqual(parseInstantInQuery(plus), undefined, plus)
    }
  }
  assert.deepEqual(parseInstantInQuery('2026-03-01'), parseInstant('2026-03-01'))
  const bad = [
    '2026-03-01 08:00',
    '2026-03-01 08:00:00Z',
    '2026-03-01T08:00:00  08:00',
    '2026-03-01T08:00:00 Z',
    ' 2026-03-01',
  ]
  for (const text of [...bad, '2026-03-01T08:00:00Z 08:00', '2026-03-01T08:00:00 8', '2026-03-01T08:00:00 08:00 ']) {
    assert.equal(parseInstantInQuery(text), undefined, text)
  }
})

test('in a query, the basic format is read as the extended one, and no mixture of the two', () => {
  const cases = [
    ['20260301', '2026-03-01'],
    ['20260301T0800Z', '2026-03-01T08:00Z'],
    ['20260301T080000Z', '2026-03-01T08:00:00Z'],
    ['20260301T080000.1230001+0830', '2026-03-01T08:00:00.1230001+08:30'],
    ['20260301T080000,5-08', '2026-03-01T08:00:00.5-08:00'],
    ['20260301T080000 0800', '2026-03-01T08:00:00+08:00'],
  ] as const
  for (const [basic, extended] of cases) {
    assert.notEqual(parseInstant(extended), undefined, extended)
    assert.deepEqual(parseInstantInQuery(basic), parseInstant(extended), basic)
  }
  const bad = ['20260229', '20261301', '20260301T080000', '20260301T08', '20260301T240000Z', '20260301T0800Z0']
  const mixed = [
    '2026-0301',
    '2026-03-01T080000Z',
    '20260301T08:00:00Z',
    '20260301T080000+08:00',
    '2026060',
    '2026W091',
  ]
  for (const text of [...bad, ...mixed, '2026-W09-7', '2026-060', '1772323200', '1772323200000']) {
    assert.equal(parseInstantInQuery(text), undefined, text)
  }
})

test('refuses what names no instant', () => {
  const bad = [
    '',
    'yesterday',
    '2026',
    '2026-03',
    '1772323200',
    '2026-03-01T08:00:00',
    '2026-03-01 08:00:00Z',
    '2026-3-1',
    '2026-02-29',
    '2026-02-30T00:00:00Z',
    '2026-13-01',
    '2026-00-01',
    '2026-01-32',
    '2026-01-01T24:00:00Z',
    '2026-01-01T23:60:00Z',
    '2026-01-01T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+2400',
    '2026-01-01T00:00:00+080',
    '2026-01-01T00:00:00+08:',
    '2026-01-01T00:00:00+8',
    '2026-01-01T00:00:00 08:00',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00.1234567890Z',
    '2026-01-01T00:00:00Z\n',
    '+002026-01-01T00:00:00Z',
    '２０２６-01-01',
  ]
  for (const text of bad) assert.equal(parseInstant(text), undefined, text)
})

test('moves what lies before or after all orders to the nearer end', () => {
  assert.deepEqual(parseInstant('0000-01-01')?.at, EARLIEST)
  assert.deepEqual(parseInstant('9999-12-31T23:59:59-14:00')?.at, LATEST)
})

test('reads every instant that is written in UTC with milliseconds', () => {
  const instants = fc.date({ min: EARLIEST, max: LATEST, noInvalidDate: true })
  fc.assert(
    fc.property(instants, (at) => assert.deepEqual(parseInstant(at.toISOString()), { at, hasRemainder: false })),
  )
})
