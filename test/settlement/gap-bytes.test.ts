import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findBytesOfNonce, insertAttempt } from '../../src/settlement/attempt-store.ts'
import { insertBatch, markReverted } from '../../src/settlement/batch-store.ts'
import { insertChain } from '../../src/settlement/chain-store.ts'
import { createTestDatabase } from '../support/database.ts'
import { account } from './fixture.ts'

const CHAIN = 31337
const SIGNER = account('signer').address

test('a gap is never filled with the bytes of a batch whose orders failed: their value would move after all', async () => {
  const db = await createTestDatabase()
  try {
    await insertChain(db, CHAIN, {
      coinAddress: '0xcoin',
      settlementAddress: '0xsettlement',
      genesisHash: '0x00',
      observedBlock: 0n,
      observedHash: '0x00',
    })
    const batch = { chainId: CHAIN, signer: SIGNER, digest: '0x', orderCount: 1, callData: '0x', fencingToken: 1n }
    const attempt = { chainId: CHAIN, fees: { maxFeePerGas: 2n, maxPriorityFeePerGas: 1n }, gasLimit: 1n }
    for (const number of [1n, 2n]) {
      await insertBatch(db, { ...batch, batchId: number, nonce: number })
      const names = { txHash: `0xhash${number}`, rawTransaction: `0xraw${number}` }
      await insertAttempt(db, { ...attempt, ...names, batchId: number, nonce: number })
    }
    assert.equal(await markReverted(db, CHAIN, 1n, 3), true)
    assert.equal(await findBytesOfNonce(db, CHAIN, SIGNER, 1n), undefined)
    assert.equal(await findBytesOfNonce(db, CHAIN, SIGNER, 2n), '0xraw2')
  } finally {
    await db.close()
  }
})
