// engine: postgres
/** An order that was posted again takes the outcome of a batch of others as the chain has it at the look, and not that of one which it has lost. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { encodeFunctionData } from 'viem'
import { reconcile } from '../../src/operator/reconcile/reconcile.ts'
import { insertExplanation } from '../../src/settlement/tables/explanations.sql.ts'
import { orderTag } from '../../src/values/order-tag.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { loseAfter, toldOtherwise } from './executing-again.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { lookAsSettler, startEyes } from './giving-up.ts'
import { lostNow, nameOf } from './lost-burn.ts'
import { PARTIES } from './parties.ts'
import { ALONE, CHAIN, formOne, mint, SECOND } from './repairing.ts'
import { look, mintOf, settleAfter } from './replacing.ts'
import { firstInBlock, NEVER, type Stepped, type SteppedChain, startStepped, useNonce } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

const REFERENCE = 'posted-again'
const POSTED = { ...mint(5), party: PARTIES[0], referenceId: REFERENCE }
const balanceOf = (s: Stepped, seed: number) => s.chain.reader.latestBalance(wallet(seed))

async function freeze(s: Stepped): Promise<void> {
  const data = encodeFunctionData({
    abi: [
      { type: 'function', name: 'freeze', inputs: [{ type: 'address' }], outputs: [], stateMutability: 'nonpayable' },
    ],
    args: [wallet(5)],
  })
  const call = { from: account('freezer').address, to: s.config.coin.address, data, gas: '0x186a0' }
  await s.rpc('eth_sendTransaction', { ...call, ...firstInBlock() })
  await s.mine()
}

/**
 * A lost history has signed for an order that this database does not know, and its mint has failed, because the wallet was frozen. That is read, and
 * then the chain loses it with the batch of ours before it; the wallet is frozen no more.
 * @returns what the lost history had signed
 */
async function loseFailed(s: Stepped) {
  const theirs = [mintOf(5, orderTag(PARTIES[0].integrationId, REFERENCE))]
  await s.round()
  const before = await s.head()
  await formOne(s, 1)
  await s.mine(2)
  await s.round()
  await freeze(s)
  await settleAfter(s, 1n, [theirs])
  await s.mine(2)
  await look(s)
  assert.deepEqual(
    (await s.batches()).map(({ status, is_foreign: isForeign }) => [status, isForeign]),
    [
      ['final', false],
      ['final', true],
    ],
  )
  assert.equal(await balanceOf(s, 5), 0n)
  await s.rpc('anvil_reorg', Number((await s.head()).number - before.number), [])
  await s.rpc('anvil_dropAllTransactions')
  assert.equal(await s.chain.admin.supply(), 0n)
  return theirs
}

test('an order does not take that it failed from a batch that the chain has lost; executed again with another outcome, it has that', async () => {
  const s = await chain.begin({ config: ALONE })
  const theirs = await loseFailed(s)
  const [order] = await s.place(POSTED)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await balanceOf(s, 1), 5n, 'ours was sent again')
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED')
  for (let rounds = 0; rounds < 3; rounds += 1) await s.round()
  assert.equal(s.held(), 'chain-behind')
  assert.equal(s.work.memory.recheck.lostAtHead, (await s.head()).hash, 'nothing is formed before it is there again')
  await settleAfter(s, 1n, [theirs])
  for (let rounds = 0; rounds < 2; rounds += 1) await s.round()
  assert.equal(await s.stateOf(order), 'pending/ORDER_CREATED', 'it is there, and may be lost again')
  assert.equal((await s.batches()).length, 2, 'and mints nothing beside it')
  await s.mine(2)
  assert.equal(await balanceOf(s, 5), 5n)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  assert.equal(await balanceOf(s, 5), 5n)
  await s.forget()
  await look(s)
  const otherwise = s.logged.filter(({ msg }) => /with another outcome/.test(msg))
  assert.deepEqual(
    otherwise.map(({ orders }) => orders),
    [[], []],
    'who has taken what it did then was told that, as a new process says, too',
  )
})

test('where the chain goes back to the outcome that was read first, whoever took the other one is named', async () => {
  const s = await chain.begin({ config: ALONE })
  const theirs = await loseFailed(s)
  const [order] = await s.place(POSTED)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  const { number } = await s.head()
  await settleAfter(s, 1n, [theirs])
  await s.mine(2)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  await loseAfter(s, number)
  await freeze(s)
  await settleAfter(s, 1n, [theirs])
  await s.mine(2)
  assert.equal(await balanceOf(s, 5), 0n)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.deepEqual(toldOtherwise(s).at(-1), [`${await nameOf(s, order)} was refused`])
})

test('one whose orders were all posted again is signed again, and they take what it does then', async () => {
  const s = await chain.begin({ config: ALONE })
  await loseFailed(s)
  await look(s)
  assert.equal(await balanceOf(s, 1), 5n)
  await useNonce(s, SECOND, (await s.batches())[1]?.nonce ?? 0n)
  await s.mine(2)
  await look(s)
  assert.equal(s.held(), 'batch-conflict', 'it is nobody’s')
  const [order] = await s.place(POSTED)
  for (let looks = 0; looks < 3; looks += 1) await look(s)
  assert.equal(await balanceOf(s, 5), 5n)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED', s.held())
  assert.equal(await s.chain.admin.supply(), 10n)
})

test('what an order took of a batch that was executed again with another outcome is what counts of it: lost once more, and given up, it is named, and minted again', async (t) => {
  const s = await chain.begin({ config: ALONE })
  const theirs = await loseFailed(s)
  const [order] = await s.place(POSTED)
  await look(s)
  const before = await s.head()
  await settleAfter(s, 1n, [theirs])
  await s.mine(2)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  assert.equal(await s.stateOf(order), 'completed/COMPLETED')
  await s.rpc('anvil_reorg', Number((await s.head()).number - before.number), [])
  await s.rpc('anvil_dropAllTransactions')
  assert.deepEqual([await balanceOf(s, 1), await balanceOf(s, 5)], [5n, 0n])
  await settleAfter(s, 1n, [[mintOf(21, '0x0000000000000008')]])
  await s.mine(2)
  const eyes = await startEyes(s, t)
  for (let looks = 0; looks < 2; looks += 1) await look(s)
  await eyes.giveUp(2, { giveUp: true })
  await lookAsSettler(s, 4)
  assert.deepEqual(Object.keys(await lostNow(s)), [await nameOf(s, order)])
  await eyes.makeGood(`/orders/${await nameOf(s, order)}`)
  await lookAsSettler(s, 2)
  assert.equal(await balanceOf(s, 5), 5n)
})

test('what nobody took of a batch that was executed again with another outcome is kept as it is now, once that is final', async () => {
  const s = await chain.begin({ config: ALONE })
  const theirs = await loseFailed(s)
  await look(s)
  const succeeded = async () =>
    (
      await s.db.query<{ succeeded: boolean }>('select succeeded from foreign_instructions where chain_id = $1', [
        CHAIN,
      ])
    )[0]?.succeeded
  await settleAfter(s, 1n, [theirs])
  s.passMs(NEVER.recheckMs)
  await s.round()
  assert.equal(await succeeded(), false)
  await s.mine(2)
  await look(s)
  assert.equal(await succeeded(), true)
  assert.equal(s.logged.filter(({ msg }) => /with another outcome/.test(msg)).length, 1)
  const found = async () => {
    const { differences } = await reconcile(s.db, [s.chain], TEST_SECRETS)
    const own = differences.filter(({ subject }) => subject.startsWith(String(CHAIN)))
    return own.map(({ kind }) => kind).filter((kind) => kind === 'supply' || kind === 'foreign_batch')
  }
  assert.deepEqual(await found(), ['supply', 'foreign_batch'])
  await insertExplanation(s.db, CHAIN, 2n, 'it is of a history that was lost')
  assert.deepEqual(await found(), [], 'what it moved counts')
})
