import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Order, STATUSES } from '../../orders/order.ts'
import { HOLD_REASONS } from '../../settlement/metrics.ts'
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
  held: null,
  hold: undefined,
  capacityMicro: null,
  signedBatches: 0,
  oldestSigned: null,
  attempts: 2,
  lastAnswer: 'nonce too low',
  payout: undefined,
  lost: undefined,
  isChainLost: false,
  isDoneByOthers: false,
}
const CHAIN: ChainSigns = { readable: true, paused: false, emptySigners: [], confirmations: 3, finality: 'depth' }

const reason = (order: Partial<Order>, facts: Partial<WaitingFacts> = {}, chain: Partial<ChainSigns> = {}) =>
  waitingReason({ ...ORDER, ...order }, { ...FACTS, ...facts }, { ...CHAIN, ...chain }) ?? ''

describe('why an order waits', () => {
  it('is given for every unfinished order, and for no other', () => {
    for (const status of STATUSES) {
      const unfinished = ['payment_pending', 'pending', 'processing'].includes(status)
      assert.equal(reason({ status, batchStatus: 'signed' }) !== '', unfinished, status)
    }
  })

  it('says of a mint on a lost chain that only its partner can end it', () => {
    assert.match(
      reason({ status: 'payment_pending' }, { isChainLost: true }),
      /^Its chain is lost: .* its partner cancels it\.$/,
    )
  })

  it('says of what others have done of an order that had ended how that is made good', () => {
    const facts = { hasTagConflict: true, isDoneByOthers: true }
    const refund = reason({ status: 'failed', integrationId: 'refunds' }, facts)
    assert.match(refund, /"coin order make-good", by which its payout ends as minted back/)
    assert.match(
      reason({ status: 'failed', direction: 'MINT' }, facts),
      /"coin order make-good": the books say then that its integration owes/,
    )
    assert.match(reason({ status: 'failed' }, facts), /its integration is owed the ringgit/)
    assert.match(
      reason({ status: 'failed' }, { hasTagConflict: true }),
      /"coin batch explain CHAIN ID --not-order ORDER --reason …"/,
    )
  })

  it('names a tag conflict before anything else', () => {
    for (const status of ['pending', 'processing'] as const)
      assert.match(
        reason({ status, batchId: null, batchStatus: 'signed' }, { hasTagConflict: true }, { paused: true }),
        /^tag_conflict/,
      )
    assert.equal(reason({ status: 'completed' }, { hasTagConflict: true }), '')
    for (const status of ['failed', 'cancelled'] as const) {
      assert.match(reason({ status }, { hasTagConflict: true }), /^tag_conflict: the order had ended/)
      assert.equal(reason({ status }), '')
    }
  })

  it('names why an operator or a rule holds it', () => {
    const held = reason({ batchId: null }, { held: 'wallet_denied' }, { paused: true })
    assert.match(
      held,
      /^held: wallet_denied\..* if it still is, first run "coin screening allow".*order release.*order reject/,
    )
    for (const [rule, first] of [
      ['integration_suspended', '"coin integration resume"'],
      ['customer_suspended', '"coin customer set ID --status VERIFIED"'],
      ['wallet_not_linked', '"coin wallet add"'],
      ['wallet_sanctioned', 'nobody can overrule'],
      ['refund_from_before', '"coin payout refund"'],
    ] as const) {
      assert.ok(reason({ batchId: null }, { held: rule }).includes(first), rule)
    }
    assert.equal(
      reason({ batchId: null }, { held: 'a look' }),
      'held: a look. Run "coin order release" or "coin order reject".',
    )
  })

  it('names what must be repaired first', () => {
    assert.match(reason({}, { settlerAlive: false }, { paused: true }), /No settler works/)
    assert.match(reason({}, {}, { readable: false }), /RPC/)
    assert.match(reason({}, {}, { paused: true }), /chain resume/)
    assert.match(reason({}, {}, { emptySigners: ['0xdead'] }), /gas.*0xdead/)
    assert.match(waitingReason(ORDER, FACTS, undefined) ?? '', /not configured/)
  })

  it('names signers without gas money only where the settler waits for that', () => {
    const [empty, hold] = [{ emptySigners: ['0xdead'] }, { details: null, blocked: [], ageMs: 1_000 }]
    assert.match(reason({}, { hold: { reason: 'gas-balance', ...hold } }, empty), /gas.*0xdead/)
    for (const name of ['signer-unavailable', 'mint-limit', 'none'])
      assert.doesNotMatch(reason({}, { hold: { reason: name, ...hold } }, empty), /0xdead/)
  })

  it('says of an order whose batch no block takes what keeps it out', () => {
    const said = (name: string) =>
      reason({ batchStatus: 'signed' }, { hold: { reason: name, details: null, blocked: [], ageMs: 1_000 } })
    for (const name of ['gas-price', 'gas-balance', 'signer-without-role', 'signer-unavailable', 'batch-not-mined'])
      assert.match(said(name), new RegExp(`^${name}: .* Batch 9 .* is not mined: 2 signed; .*nonce too low`))
    for (const name of ['none', 'mint-limit', 'reserve']) assert.match(said(name), /^Batch 9 /)
    const hold = { reason: 'batch-undecided', details: '{"batchId":"9"}', blocked: [], ageMs: 1_000 }
    assert.match(
      reason({ status: 'processing', batchStatus: 'mined' }, { hold }),
      /^batch-undecided: .*see the error.*"9".* It is mined in block 100/,
    )
    assert.match(reason({ batchId: null }, { hold }), /^due: /)
    const order = (name: string) => JSON.stringify({ batchId: '7', order: name })
    const unended = (details: string) => reason({ batchId: null }, { hold: { ...hold, details } })
    assert.match(unended(order(`${ORDER.integrationId}/${ORDER.referenceId}`)), /^batch-undecided: .*see the error/)
    assert.match(unended(order(`${ORDER.integrationId}/other`)), /^due: /)
    const fence = { ...hold, reason: 'fence', details: '{"fence":"due"}' }
    assert.match(reason({ batchId: null }, { hold: fence }), /^due: /)
    assert.match(
      reason({ batchId: null }, { hold: fence, held: 'by hand' }),
      /"coin order reject"\. fence: .*hold the order, and wait/,
    )
    assert.match(
      reason({ status: 'payment_pending' }, { hold: fence }),
      /confirm the payment\. fence: .*cancelled before/,
    )
    const lost = { ...hold, reason: 'batch-not-found' }
    assert.match(reason({ batchStatus: 'signed' }, { hold: lost }), /^batch-not-found: .*serve receipts.*"9"}$/)
    assert.match(reason({ batchStatus: 'signed', batchId: 8n }, { hold: lost }), /^Batch 8 /)
    assert.match(reason({ batchId: null }, { hold: lost }), /^due: /)
  })

  it('says for an order in no batch which hold is its own', () => {
    const said = (direction: Order['direction'], facts: Partial<WaitingFacts>) =>
      reason({ batchId: null, direction, amountMicro: 5_000_000n }, facts)
    const hold = (name: string, blocked: string[] = [], details: string | null = null) => ({
      hold: { reason: name, details, blocked, ageMs: 1_000 },
    })
    for (const name of HOLD_REASONS) {
      if (name === 'none' || name.endsWith('-limit') || ['batch-undecided', 'batch-not-found', 'fence'].includes(name))
        continue
      const sentence = said('MINT', hold(name, [], 'the details'))
      assert.ok(sentence.startsWith(`${name}: `) && sentence.endsWith('. the details'), sentence)
      assert.equal(said('MINT', hold(name)).includes('null'), false)
      // Longer than its name: what to do about it.
      assert.match(sentence, /run|wait|raise|send|see |grant|import|read when|replace|correct|has the error/, name)
    }
    for (const [direction, bucket] of [
      ['MINT', 'mint'],
      ['REDEEM', 'burn'],
      ['TRANSFER', 'transfer'],
    ] as const) {
      assert.match(
        said(direction, hold(`${bucket}-limit`)),
        new RegExp(`^${bucket}-limit: .*refills.* ON_FOREIGN_MOVEMENT is "pause"`),
      )
      assert.match(said(direction, hold('none', [`${bucket}-limit`])), new RegExp(`^${bucket}-limit: .*refills`))
      const other = bucket === 'mint' ? 'burn' : 'mint'
      assert.match(said(direction, hold(`${other}-limit`, [`${other}-limit`])), /^due: /)
      const tooMuch = said(direction, { capacityMicro: 4_999_999n, ...hold('paused') })
      assert.match(
        tooMuch,
        new RegExp(
          `^oversized: .* 4\\.999999 in one ${direction.toLowerCase()}: raise the ${bucket} limit .*ON_FOREIGN_MOVEMENT`,
        ),
      )
      assert.match(said(direction, { capacityMicro: 5_000_000n }), /^due: /)
    }
    assert.match(said('MINT', { signedBatches: 2, oldestSigned: 7n }), /^in-flight: 2 batches .* first is 7\.$/)
    assert.match(said('MINT', {}), /^due: nothing holds it/)
    assert.match(reason({ batchId: null, status: 'processing', batchStatus: 'signed' }), /^due: /)
    const mismatch = { settlerAlive: false, ...hold('chain-mismatch', [], 'other contracts') }
    assert.match(said('MINT', mismatch), /^chain-mismatch: .*other contracts$/)
    for (const ageMs of [61_000, -61_000])
      assert.match(said('MINT', { ...mismatch, hold: { ...mismatch.hold, ageMs } }), /No settler works/)
    assert.match(said('MINT', { ...mismatch, hold: { ...mismatch.hold, ageMs: -1_000 } }), /^chain-mismatch/)
    const unreadable = { settlerAlive: false, ...hold('round-failed', [], 'no node answers') }
    assert.match(said('MINT', unreadable), /^round-failed: .*RPC addresses.*no node answers$/)
    assert.match(said('MINT', { ...unreadable, hold: { ...unreadable.hold, ageMs: 61_000 } }), /No settler works/)
  })

  it('follows the transaction', () => {
    const submitted = { status: 'processing', batchStatus: 'signed' } as const
    assert.match(reason(submitted), /0xabc.*2 signed; the node last answered "nonce too low"/)
    assert.match(reason(submitted, { lastAnswer: null }), /2 signed; it was not broadcast yet/)
    assert.match(reason({ status: 'processing', batchStatus: 'mined' }), /block 100 and has 2 of 3/)
  })

  it('follows the payout, whatever the chain does', () => {
    const paying = { status: 'processing', batchStatus: 'final' } as const
    const rejected = { payoutId: 'po_1', status: 'rejected', timesAsked: 1, error: 'account closed', holdReason: null }
    const payout = { ...rejected, refundOrder: null }
    assert.match(
      reason(paying, { payout }, { paused: true }),
      /po_1 was refused \(account closed\): "coin payout show po_1" says/,
    )
    const queued = { ...payout, status: 'queued', error: null }
    for (const [timesAsked, says] of [
      [0, /po_1 is queued: no rail was asked yet\.$/],
      [1, /po_1 is queued: its rail was asked once\.$/],
      [2, /po_1 is queued: its rail was asked 2 times\.$/],
    ] as const) {
      assert.match(reason(paying, { payout: { ...queued, timesAsked } }), says)
    }
    const held = { ...payout, status: 'held', holdReason: 'rail_not_configured' } as const
    assert.match(
      reason(paying, { payout: held }),
      /po_1 is held: the rail .* is not configured now.* \(account closed\)\.$/,
    )
    const refunding = { ...payout, refundOrder: 'refunds/po_1' }
    assert.match(
      reason(paying, { payout: refunding }),
      /po_1 is being minted back: see "coin order show refunds\/po_1"\.$/,
    )
    assert.match(reason(paying, { settlerAlive: false }), /no payout is recorded/)
  })
})
