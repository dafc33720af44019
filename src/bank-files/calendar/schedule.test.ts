import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { accepted, refusalOf, sample } from '../../../test/support/bank-files.ts'
import { addDays, localTime, weekdayOf } from '../day.ts'
import { RAILS } from '../rails.ts'
import { CALENDAR_SCHEMA, isBankingDay, parseCalendar } from './calendar.ts'
import { executionDay, secondsCovered } from './schedule.ts'

const CALENDAR = accepted(parseCalendar(sample('calendar.json')))
const at = (local: string) => new Date(`${local}+08:00`)
const rails = fc.constantFrom(...RAILS)
/** Far enough from the calendar's end for a value day. */
const instants = fc.date({
  min: new Date('2026-01-02T00:00:00Z'),
  max: new Date('2027-12-10T00:00:00Z'),
  noInvalidDate: true,
})

test('days are those of Kuala Lumpur', () => {
  assert.deepEqual(localTime('Asia/Kuala_Lumpur', new Date('2026-11-20T15:59:59Z')), {
    day: '2026-11-20',
    time: '23:59:59',
  })
  assert.deepEqual(localTime('Asia/Kuala_Lumpur', new Date('2026-11-20T16:00:00Z')), {
    day: '2026-11-21',
    time: '00:00:00',
  })
  assert.equal(weekdayOf('2026-11-20'), 5)
  assert.equal(weekdayOf('2026-11-22'), 7)
  assert.equal(addDays('2026-12-31', 1), '2027-01-01')
})

test('cut-offs, weekends and holidays move a payment to the next working day', () => {
  const expected = [
    ['ibg', '2026-11-20T14:59:59', '2026-11-20'],
    ['ibg', '2026-11-20T15:00:00', '2026-11-23'],
    ['rentas', '2026-11-20T15:29:59', '2026-11-20'],
    ['rentas', '2026-11-20T15:30:00', '2026-11-23'],
    ['ibg', '2026-11-21T09:00:00', '2026-11-23'],
    ['duitnow', '2026-11-21T23:59:59', '2026-11-21'],
    ['duitnow', '2026-12-25T12:00:00', '2026-12-25'],
    ['ibg', '2026-12-25T09:00:00', '2026-12-28'],
    ['ibg', '2026-03-20T16:00:00', '2026-03-24'],
    ['ibg', '2026-05-30T09:00:00', '2026-06-03'],
    ['ibg', '2026-12-31T23:00:00', '2027-01-04'],
  ] as const
  for (const [rail, local, day] of expected)
    assert.equal(accepted(executionDay(CALENDAR, rail, at(local))), day, `${rail} ${local}`)
})

test('a calendar covers its last day to the end, by its own clock', () => {
  for (const [local, seconds] of [
    ['2027-12-31T23:59:59', 1],
    ['2027-12-31T00:00:00', 86_400],
    ['2028-01-01T01:00:00', -3_600],
  ] as const)
    assert.equal(secondsCovered(CALENDAR, at(local)), seconds, local)
})

test('a payment is carried out on the first day that the rail works, never before it was handed over', () => {
  fc.assert(
    fc.property(rails, instants, (rail, instant) => {
      const { everyDay, cutOff } = CALENDAR.rails[rail]
      const { day: today, time } = localTime(CALENDAR.timeZone, instant)
      const day = accepted(executionDay(CALENDAR, rail, instant))
      const works = (one: string) => everyDay || isBankingDay(CALENDAR, one) === true
      assert.ok(day >= today)
      assert.ok(works(day))
      const isInTime = cutOff === null || time < `${cutOff}:00`
      for (let one = isInTime ? today : addDays(today, 1); one < day; one = addDays(one, 1)) assert.ok(!works(one), one)
      if (!isInTime) assert.ok(day > today)
    }),
  )
})

test('what is handed over later is never carried out earlier', () => {
  fc.assert(
    fc.property(rails, instants, instants, (rail, one, other) => {
      const [first, second] = one < other ? [one, other] : [other, one]
      assert.ok(accepted(executionDay(CALENDAR, rail, first)) <= accepted(executionDay(CALENDAR, rail, second)))
    }),
  )
})

test('beyond the calendar nothing is scheduled', () => {
  assert.equal(refusalOf(executionDay(CALENDAR, 'ibg', at('2027-12-31T15:00:00'))).code, 'wrong_content')
  assert.equal(refusalOf(executionDay(CALENDAR, 'duitnow', at('2028-01-01T00:00:00'))).code, 'wrong_content')
  assert.equal(refusalOf(executionDay(CALENDAR, 'ibg', at('2025-12-31T23:59:59'))).code, 'wrong_content')
  assert.equal(accepted(executionDay(CALENDAR, 'ibg', at('2027-12-31T14:59:59'))), '2027-12-31')
  assert.equal(isBankingDay(CALENDAR, '2028-01-03'), undefined)
})

test('a calendar is refused for what is wrong in it', () => {
  const file = JSON.parse(sample('calendar.json')) as Record<string, unknown> & { rails: Record<string, object> }
  const holiday = { day: '2026-01-01', name: 'New Year' }
  const wrong: [string, object][] = [
    ['wrong_content', { timeZone: 'Asia/Nowhere' }],
    ['wrong_content', { coversTo: '2026-06-31' }],
    ['wrong_content', { coversTo: '2026-06-30' }],
    ['wrong_content', { coversFrom: '2028-01-01' }],
    ['wrong_content', { holidays: [{ day: '2026-02-30', name: 'x' }] }],
    ['duplicated_id', { holidays: [holiday, holiday] }],
    ['wrong_content', { weekend: [1, 2, 3, 4, 5, 6, 7] }],
    ['wrong_content', { weekend: [0] }],
    ['wrong_content', { rails: { ...file.rails, ibg: { cutOff: '24:00', everyDay: false } } }],
    ['wrong_content', { rails: { ...file.rails, ibg: { cutOff: null, everyDay: false } } }],
    ['wrong_content', { rails: { ibg: file.rails.ibg } }],
    ['wrong_content', { more: 1 }],
  ]
  for (const [code, changes] of wrong)
    assert.equal(refusalOf(parseCalendar(JSON.stringify({ ...file, ...changes }))).code, code, JSON.stringify(changes))
})

test('the published schema is the one that files are checked against', () => {
  const published = JSON.parse(sample('calendar.schema.json')) as object
  assert.deepEqual(published, {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    ...JSON.parse(JSON.stringify(CALENDAR_SCHEMA)),
  })
})
