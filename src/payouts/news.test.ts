import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type KnownAttempt, type KnownPayout, type NewsStep, planNews, planUnrefunded } from './news.ts'

const at = (attempt: number, status: KnownAttempt['status'], isExtra = false): KnownAttempt => ({
  attempt,
  status,
  isExtra,
})
const payout = (status: KnownPayout['status'], attempts: readonly KnownAttempt[]): KnownPayout => ({
  status,
  attempts,
  attempt: attempts.length,
  isRefunding: false,
})
const NOTHING = { outcome: 'contradiction', steps: [] }

test('only what its rail has called paid, and settles the payout, can turn out not to have been', () => {
  for (const status of ['asked', 'sent', 'returned'] as const) {
    assert.deepEqual(planNews(payout(status === 'asked' ? 'queued' : status, [at(1, status)]), 1, 'unpaid'), NOTHING)
  }
  assert.deepEqual(planNews(payout('paid', [at(1, 'paid', true), at(2, 'paid')]), 1, 'unpaid'), NOTHING)
  const { outcome, steps } = planNews(payout('paid', [at(1, 'paid')]), 1, 'unpaid')
  assert.equal(outcome, 'recorded')
  assert.deepEqual(steps, [
    { do: 'attempt', attempt: 1, to: 'rejected', isExtra: false },
    { do: 'payout', to: 'rejected', attempt: 1, holdReason: null },
    { do: 'book', what: 'unpaid', attempt: 1 },
  ] satisfies NewsStep[])
})

test('where it was not paid after all, a payment too many settles the payout', () => {
  const { steps } = planNews(payout('paid', [at(1, 'paid', true), at(2, 'paid')]), 2, 'unpaid')
  const booked = steps.flatMap((step) => (step.do === 'book' ? [[step.what, step.attempt]] : []))
  assert.deepEqual(booked, [
    ['unpaid', 2],
    ['extraTaken', 1],
  ])
})

test('of two payments that were made while its coin was to be minted back, its own settles it once that is not', () => {
  const attempts = [1, 2].map((attempt) => ({ attempt, status: 'paid' as const, isExtra: true }))
  const { steps } = planUnrefunded({ status: 'rejected', attempt: 2, attempts, isRefunding: true })
  assert.deepEqual(
    steps.filter((step) => step.do === 'attempt'),
    [{ do: 'attempt', attempt: 2, to: 'paid', isExtra: false }],
  )
  assert.deepEqual(steps.at(-1), { do: 'book', what: 'extraTaken', attempt: 2 })
})
