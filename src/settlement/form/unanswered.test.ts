import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Screening } from '../../chain/sanctions.ts'
import { afterAsking, dueForAsking, NOTHING_UNANSWERED, withUnanswered } from './unanswered.ts'

const wallets = (from: number, count: number) => Array.from({ length: count }, (_, n) => `0x${from + n}`)
const say = (word: Screening, ...asked: string[]) => new Map(asked.map((wallet) => [wallet, word]))
const AT = { hash: '0xb1', nowMs: 1 }

test('what is remembered is bounded', () => {
  const full = withUnanswered(NOTHING_UNANSWERED, wallets(0, 20_000), 0)
  assert.equal(full.sinceMs.size, 16_320)
  assert.equal(withUnanswered(full, ['0xnew'], 0).sinceMs.size, 16_320)
})

test('as many as one call takes are asked about at a time, and each has its turn', () => {
  const all = withUnanswered(NOTHING_UNANSWERED, wallets(0, 2_500), 0)
  const asked: string[] = []
  let now = all
  for (let turn = 0; turn < 3; turn += 1) {
    const due = dueForAsking(now)
    assert.equal(due.length, 1_020)
    asked.push(...due)
    now = afterAsking(now, say('unanswered', ...due), AT)
  }
  assert.deepEqual(new Set(asked), new Set(all.sinceMs.keys()))
  assert.equal(now.sinceMs.size, 2_500)
})

test('what is answered is chosen again, whatever is said, and so is what was remembered for long', () => {
  const three = withUnanswered(NOTHING_UNANSWERED, ['0xa', '0xb', '0xc'], 0)
  const said = new Map<string, Screening>([
    ['0xa', 'clean'],
    ['0xb', 'sanctioned'],
    ['0xc', 'unanswered'],
  ])
  assert.deepEqual(afterAsking(three, said, AT), { sinceMs: new Map([['0xc', 0]]), askedAtHash: '0xb1' })
  assert.equal(afterAsking(three, said, { ...AT, nowMs: 600_000 }).sinceMs.size, 0)
})
