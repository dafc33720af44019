import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Order, STATUSES } from '../../orders/order.ts'
import { type ChainSigns, type WaitingFacts, waitingReason } from './waiting.ts'

const ORDER: Order = {
  orderId: 1n,
  integrationId: 'int_1',
  referenceId: 'reference-1',
  direction: 'REDEEM',
  status: 'pending',
  chainId: 31_337,
  network: 'Local',
  tokenAddress: '0x1',
  walletAddress: '0x2',
  debitAddress: '0x2',
  customerId: 'cus_1',
  keyId: '0'.repeat(16),
  amountMicro: 1n,
  feeMicro: 0n,
  bankReference: null,
  batchId: 9n,
  batchIndex: 0,
  batchStatus: null,
  txHash: '0xabc',
  blockNumber: 100n,
  failureReason: null,
  createdAt: new Date(0),
  updatedAt: null,
}
const FACTS: WaitingFacts = {
  settlerAlive: true,
  observedBlock: 101n,
  hasTagConflict: false,
  attempts: 2,
  lastAnswer: 'nonce too low',
  payout: undefined,
}
const CHAIN: ChainSigns = { readable: true, paused: false, emptySigners: [], confirmations: 3 }

const reason = (order: Partial<Order>, facts: Partial<WaitingFacts> = {}, chain: Partial<ChainSigns> = {}) =>
  waitingReason({ ...ORDER, ...order }, { ...FACTS, ...facts }, { ...CHAIN, ...chain }) ?? ''

describe('why an order waits', () => {
  it('is given for every unfinished order, and for no other', () => {
    for (const status of STATUSES) {
      const unfinished = ['payment_pending', 'pending', 'processing'].includes(status)
      assert.equal(reason({ status, batchStatus: 'signed' }) !== '', unfinished, status)
    }
  })

  it('names a tag conflict before anything else', () => {
    for (const status of ['pending', 'processing'] as const)
      assert.match(
        reason({ status, batchId: null, batchStatus: 'signed' }, { hasTagConflict: true }, { paused: true }),
        /^tag_conflict/,
      )
    assert.equal(reason({ status: 'completed' }, { hasTagConflict: true }), '')
  })

  it('names what must be repaired first', () => {
    assert.match(reason({}, { settlerAlive: false }, { paused: true }), /No settler works/)
    assert.match(reason({}, {}, { readable: false }), /RPC/)
    assert.match(reason({}, {}, { paused: true }), /chain resume/)
    assert.match(reason({}, {}, { emptySigners: ['0xdead'] }), /gas.*0xdead/)
    assert.match(waitingReason(ORDER, FACTS, undefined) ?? '', /not configured/)
    assert.match(reason({ batchId: null }), /next batch/)
    assert.match(reason({ batchId: null, status: 'processing', batchStatus: 'signed' }), /next batch/)
  })

  it('follows the transaction', () => {
    const submitted = { status: 'processing', batchStatus: 'signed' } as const
    assert.match(reason(submitted), /0xabc.*2 signed; the node last answered "nonce too low"/)
    assert.match(reason(submitted, { lastAnswer: null }), /2 signed; it was not broadcast yet/)
    assert.match(reason({ status: 'processing', batchStatus: 'mined' }), /block 100 and has 2 of 3/)
  })

  it('follows the payout, whatever the chain does', () => {
    const paying = { status: 'processing', batchStatus: 'final' } as const
    const payout = { payoutId: 'po_1', status: 'rejected', attempts: 1, error: 'account closed', holdReason: null }
    assert.match(reason(paying, { payout }, { paused: true }), /refused po_1 \(account closed\).*payout retry po_1/)
    assert.match(reason(paying, { payout: { ...payout, status: 'queued', error: null } }), /queued after 1 attempts\.$/)
    const held = { ...payout, status: 'held', holdReason: 'rail_not_configured' } as const
    assert.match(
      reason(paying, { payout: held }),
      /po_1 is held: the rail .* is not configured now.* \(account closed\)\.$/,
    )
    assert.match(reason(paying, { settlerAlive: false }), /no payout is recorded/)
  })
})
