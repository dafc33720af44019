import assert from 'node:assert/strict'
import { test } from 'node:test'
import { maskAccounts } from './mask.ts'

test('of nine digits and more the last four are left, of fewer all, and of what is no number as well', () => {
  assert.equal(maskAccounts('account 123456789 is closed'), 'account …6789 is closed')
  assert.equal(maskAccounts('514011223344,12345678901234567890.'), '…3344,…7890.')
  for (const words of ['RM 12345678.90 of 20261128', 'ref A123456789', '123456789x'])
    assert.equal(maskAccounts(words), words)
})
