import assert from 'node:assert/strict'
import { test } from 'node:test'
import { accepted, refusalOf } from '../../test/support/bank-files.ts'
import { recogniseRepeat } from './repeat.ts'

const FILE = { definition: 'camt.053.001.08', messageId: 'M1', contentHash: 'aa' }

test('a file is new, the same again, or another one under a known name', () => {
  assert.equal(accepted(recogniseRepeat([], FILE)), 'new')
  assert.equal(accepted(recogniseRepeat([{ ...FILE, messageId: 'M2', contentHash: 'bb' }], FILE)), 'new')
  assert.equal(accepted(recogniseRepeat([FILE], { ...FILE })), 'same_file')
  assert.equal(refusalOf(recogniseRepeat([{ ...FILE, contentHash: 'bb' }], FILE)).code, 'repeated')
  assert.equal(accepted(recogniseRepeat([{ ...FILE, contentHash: 'bb', definition: 'camt.054.001.08' }], FILE)), 'new')
})
