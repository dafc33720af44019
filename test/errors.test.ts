/** docs/ERRORS.md is true. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { ApiError, ERRORS, type ErrorCode } from '../src/errors.ts'
import { POLICY_REASONS } from '../src/orders/accept/checks.ts'

const document = readFileSync(path.join(import.meta.dirname, '../docs/ERRORS.md'), 'utf8')
const rows = [...document.matchAll(/^\| `([A-Z_]+)` \| (\d+) \| (.+?) \| .*? \| (.+?) \|$/gm)]

test('the table lists every code with its status and message, and no other', () => {
  const documented = rows.map(([, code, status, message]) => ({ code, status: Number(status), message }))
  const known = Object.entries(ERRORS).map(([code, { status, message }]) => ({ code, status, message }))
  assert.deepEqual(documented, known)
})

test('it says of each code what the code itself says about retries', () => {
  for (const [, code, , , retry] of rows) {
    assert.equal(retry !== 'no', new ApiError(code as ErrorCode).retryable, String(code))
  }
})

test('every reason of POLICY_REJECTED is there, and no other', () => {
  const [, table = ''] = /\n\| reason \|.*?\n\|---\|---\|\n(.*?)\n\n/s.exec(document) ?? []
  const reasons = table.split('\n').map((row) => /^\| `([a-z_]+)` \| .+ \|$/.exec(row)?.[1])
  assert.deepEqual(reasons, [...POLICY_REASONS, 'sandbox_limit'])
})
