import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Direction } from '../../orders/order.ts'
import type { LostFacts } from './lost.ts'
import { mayEndUnpaid, sayEndingUnpaid, sayMakingGood, sayRejecting, sayReleasing } from './would.ts'

const order = (direction: Direction, integrationId = 'int_1') => ({
  direction,
  integrationId,
  amountMicro: 7_500_000n,
  walletAddress: '0xWALLET',
  debitAddress: direction === 'MINT' ? null : '0xDEBIT',
})
const LOST: LostFacts = {
  batchId: 3n,
  remint: null,
  remintStatus: null,
  isClosed: false,
  isExecuted: false,
  wasRefused: true,
}
const facts = (lost?: Partial<LostFacts>, isChainLost = false) => ({
  lost: lost === undefined ? undefined : { ...LOST, ...lost },
  isDoneByOthers: lost === undefined,
  isChainLost,
  hasTagConflict: false,
  payout: undefined,
})

describe('what make-good would do', () => {
  const EXECUTED = { isExecuted: true }
  const rows: readonly [string, ReturnType<typeof order>, ReturnType<typeof facts>, RegExp][] = [
    ['a lost mint', order('MINT'), facts({}), /^7\.5 coin would be minted again to 0xWALLET, by an order of the house/],
    ['one whose remint has failed', order('MINT'), facts({ remint: 'a', remintStatus: 'failed' }), /minted again/],
    ['a lost mint of a chain that is gone', order('MINT'), facts({}, true), /nothing would be minted/],
    ['a lost refund', order('MINT', 'refunds'), facts({}), /minted again.*lost the burn .*nothing would be minted/],
    [
      'a lost redeem',
      order('REDEEM'),
      facts({}),
      /has 7\.5 coin again: .*integration owes the ringgit.*No coin is moved/,
    ],
    ['a lost transfer', order('TRANSFER'), facts({}), /noted that its sender has sent 7\.5 coin again/],
    ['an executed mint', order('MINT'), facts(EXECUTED), /^7\.5 coin is there: .*owes the ringgit.*No coin is moved/],
    ['an executed redeem', order('REDEEM'), facts(EXECUTED), /^7\.5 coin would be minted back to 0xWALLET/],
    ['one of a chain that is gone', order('REDEEM'), facts(EXECUTED, true), /nothing would be minted/],
    ['an executed transfer', order('TRANSFER'), facts(EXECUTED), /noted that its partner knows/],
    ['an executed refund', order('MINT', 'refunds'), facts(EXECUTED), /its payout would end as minted back/],
    ['an executed remint', order('MINT', 'remints'), facts(EXECUTED), /what it was to mint again would be good/],
    ["a mint by others' batch", order('MINT'), facts(), /^7\.5 coin is there, minted by others.*owes the ringgit/],
    ["a burn by others' batch", order('REDEEM'), facts(), /^7\.5 coin is burnt, by others.*is owed the ringgit/],
    ["a transfer by others' batch", order('TRANSFER'), facts(), /noted that its partner knows/],
    ["a refund by others' batch", order('MINT', 'refunds'), facts(), /its payout would end as minted back/],
    [
      "one that was made good, by others' batch since",
      order('MINT'),
      { ...facts({ isClosed: true }), isDoneByOthers: true },
      /^7\.5 coin is there, minted by others/,
    ],
  ]
  for (const [name, of, given, expected] of rows) it(name, () => assert.match(sayMakingGood(of, given) ?? '', expected))

  it('is nothing where nothing is to be made good', () => {
    for (const remintStatus of ['pending', 'processing', 'completed'])
      assert.equal(sayMakingGood(order('MINT'), facts({ remint: 'a', remintStatus })), undefined)
    assert.equal(sayMakingGood(order('REDEEM'), facts({ isClosed: true })), undefined)
    assert.equal(sayMakingGood(order('MINT', 'remints'), facts({})), undefined, 'the one that it minted again is')
    assert.equal(sayMakingGood(order('MINT'), { ...facts(), isDoneByOthers: false }), undefined)
  })

  it('is to end it without being paid only for a redeem whose burn is lost', () => {
    assert.equal(mayEndUnpaid(order('REDEEM'), facts({})), true)
    assert.match(sayEndingUnpaid(order('REDEEM')), /its holder keeps 7\.5 coin, and nobody would ever be paid for it/)
    for (const [of, given] of [
      [order('MINT'), facts({})],
      [order('REDEEM'), facts({ isExecuted: true })],
      [order('REDEEM'), facts({ isClosed: true })],
      [order('REDEEM'), facts()],
    ] as const)
      assert.equal(mayEndUnpaid(of, given), false)
  })

  it('is to end one that was made good while it was paid only once that payment came back', () => {
    const payout = (status: string) => ({
      payoutId: 'po_1',
      status,
      timesAsked: 1,
      error: null,
      holdReason: null,
      refundOrder: null,
    })
    const madeGood = facts({ isClosed: true })
    for (const [status, may] of [
      ['returned', true],
      ['rejected', true],
      ['held', true],
      ['queued', false],
      ['sent', false],
      ['paid', false],
      ['refunded', false],
    ] as const)
      assert.equal(mayEndUnpaid(order('REDEEM'), { ...madeGood, payout: payout(status) }), may, status)
  })
})

describe('what a decision about a held order would do', () => {
  it('released, says what moves, and from where to where', () => {
    const say = (direction: Direction) => sayReleasing(order(direction), facts({}))
    assert.match(say('MINT'), /settle: 7\.5 coin would be minted to 0xWALLET\.$/)
    assert.match(say('REDEEM'), /settle: 7\.5 coin would be burnt from 0xWALLET, and its ringgit paid\.$/)
    assert.match(say('TRANSFER'), /settle: 7\.5 coin would be moved from 0xDEBIT to 0xWALLET\.$/)
    assert.match(sayReleasing(order('MINT'), { ...facts({}), hasTagConflict: true }), /once it is said what others/)
  })

  it('rejected, says what becomes of what it was to mint', () => {
    assert.match(sayRejecting(order('MINT')), /its partner would be told/)
    assert.match(sayRejecting(order('MINT', 'refunds')), /the coin of its payout would not be minted back/)
    assert.match(sayRejecting(order('MINT', 'remints')), /what it was to mint again stays lost/)
  })
})
