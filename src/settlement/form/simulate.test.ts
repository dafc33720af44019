import assert from 'node:assert/strict'
import { test } from 'node:test'
import { holdReasonOf } from './simulate.ts'

test('each revert has its reason', () => {
  assert.deepEqual(
    [
      'EnforcedPause',
      'SettlementPaused',
      'MintLimitExceeded',
      'BurnLimitExceeded',
      'TransferLimitExceeded',
      'NotNextBatch',
      'WrongPrevious',
      'AccessControlUnauthorizedAccount',
      'SettlementUnauthorizedAccount',
      'reverted',
    ].map(holdReasonOf),
    [
      'paused',
      'paused',
      'mint-limit',
      'burn-limit',
      'transfer-limit',
      'batch-conflict',
      'batch-conflict',
      'signer-without-role',
      'settlement-without-role',
      'simulation-failed',
    ],
  )
})
