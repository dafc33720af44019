import assert from 'node:assert/strict'
import { test } from 'node:test'
import { mayFund } from './prepare.ts'

test('a start waits for the coin of its customers only where that can come by itself', () => {
  const [settler, api] = [new Set(['settler', 'api'] as const), new Set(['api'] as const)]
  const [off, hold] = [
    { guard: 'off', maxAgeMs: 1 },
    { guard: 'hold', maxAgeMs: 1 },
  ] as const
  assert.equal(mayFund({ roles: settler, reserve: off, bankProfile: undefined }), true)
  assert.equal(mayFund({ roles: api, reserve: off, bankProfile: undefined }), false)
  // The sandbox's own bank writes statements; another one's come when somebody brings them.
  assert.equal(mayFund({ roles: settler, reserve: hold, bankProfile: undefined }), true)
  assert.equal(mayFund({ roles: settler, reserve: off, bankProfile: 'profile.json' }), true)
  assert.equal(mayFund({ roles: settler, reserve: hold, bankProfile: 'profile.json' }), false)
})
