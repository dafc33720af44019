import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDeadlines } from './deadlines.ts'

test('what is not answered in time is given up once, and what was answered or is not late yet is left alone', () => {
  let nowMs = 0
  const deadlines = createDeadlines(100, () => nowMs)
  const givenUp: string[] = []
  const begin = (name: string) => deadlines.begin((error) => givenUp.push(`${name}: ${error.message}`))
  begin('first')
  const endSecond = begin('second')
  nowMs = 50
  const endThird = begin('third')
  begin('fourth')
  endSecond()
  for (nowMs = 99; nowMs <= 100; nowMs += 1) {
    assert.deepEqual(givenUp, [])
    deadlines.tick()
  }
  assert.deepEqual(givenUp, ['first: the database did not answer in time'])
  endThird()
  nowMs = 1000
  deadlines.tick()
  deadlines.tick()
  assert.deepEqual(givenUp.slice(1), ['fourth: the database did not answer in time'])
})
