// engine: postgres; both in test:long
/** Coin that is gone from a chain, and that the books do not owe yet, stays owed in the proof of reserves: what a lost history burnt, and what the chain has lost. */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { privateKeyToAddress } from 'viem/accounts'
import { proveReserves } from '../../src/reserves/prover.ts'
import { coverOf, type SignedReserves, signerOf, typedDataOf } from '../../src/reserves/statement.ts'
import { createCopying } from '../chain-model/copies.ts'
import { loseAfter, seeAgain, sendFreeze } from '../settlement/executing-again.ts'
import { linkOf, wallet } from '../settlement/fixture.ts'
import { lookAsSettler, startEyes } from '../settlement/giving-up.ts'
import { beginChain, nameOf, REDEEM, settle } from '../settlement/lost-burn.ts'
import { ALONE, CHAIN, mint } from '../settlement/repairing.ts'
import type { Stepped } from '../settlement/stepped.ts'

const chain = beginChain()
const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = privateKeyToAddress(`0x${'5a'.repeat(32)}`)
const MINTED = 50_000n
const POSTED_AGAIN = { ...REDEEM, referenceId: 'posted-again' }

const prove = async (s: Stepped): Promise<SignedReserves> =>
  (await proveReserves({ db: s.db, chains: [s.chain], key: KEY })) ?? assert.fail('nothing was proven')
const owed = (proof: SignedReserves) => {
  const [supply] = proof.supplies
  return [supply?.supplyMicro, proof.missingMicro, proof.payableMicro, coverOf(proof).owedMicro]
}

/** A redeem that is burnt, and of which the database knows nothing any more. */
async function restoredBefore() {
  const s = await chain.begin({ config: ALONE })
  const { copy, putBack } = await createCopying(s.db)
  const linked = s.chain.admin.linkWallet(linkOf(wallet(1)))
  const timer = setInterval(() => void s.mine().catch(() => {}), 50)
  await linked.finally(() => clearInterval(timer))
  await settle(s, mint(1, MINTED))
  const before = await copy()
  await settle(s, POSTED_AGAIN)
  await s.mine(2)
  await lookAsSettler(s, 1)
  assert.deepEqual(owed(await prove(s)), ['29997', undefined, '20000', MINTED])
  await putBack(before)
  await s.forget()
  return s
}

test('what a lost history burnt is owed until its redeem is posted again, and then as any other', async () => {
  const s = await restoredBefore()
  await lookAsSettler(s, 2)
  const proof = await prove(s)
  assert.deepEqual(owed(proof), ['29997', '20003', '0', MINTED])
  assert.equal(typedDataOf(proof).domain?.version, '3')
  assert.equal(await signerOf(proof), SIGNER)
  const { missingMicro: _, ...without } = proof
  for (const less of [without, { ...proof, missingMicro: '1' }]) assert.notEqual(await signerOf(less), SIGNER)
  await s.place(POSTED_AGAIN)
  await lookAsSettler(s, 2)
  assert.deepEqual(owed(await prove(s)), ['29997', undefined, '20000', MINTED])
})

test('until somebody has said that it is owed to nobody', async (t: TestContext) => {
  const s = await restoredBefore()
  await lookAsSettler(s, 2)
  await (await startEyes(s, t)).explain(2)
  assert.deepEqual(owed(await prove(s)), ['29997', undefined, '0', 29_997n])
})

test('while its chain is lost it is in what the books have there, and counts once', async () => {
  const s = await restoredBefore()
  await lookAsSettler(s, 2)
  await s.db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'switched off', 'A')`, [CHAIN])
  const proof = await prove(s)
  assert.deepEqual([proof.lost?.[0]?.supplyMicro, proof.missingMicro], [String(MINTED), undefined])
  await s.db.query('delete from lost_chains')
})

test('nothing is proven at a block with batches that the database does not have yet: what they burnt is missing in the supply', async () => {
  const s = await restoredBefore()
  const { number, hash } = await s.head()
  await s.db.query('update chains set observed_block = $2, observed_hash = $3 where chain_id = $1', [
    CHAIN,
    number,
    hash,
  ])
  await assert.rejects(
    prove(s),
    /^ChainUnreadableError: chain 31337 has batches up to 2 in block \d+, of which the database has those up to 1$/,
  )
  await lookAsSettler(s, 2)
  assert.equal(coverOf(await prove(s)).owedMicro, MINTED)
})

test('a mint that the chain refuses after all is owed until it is minted again', async (t: TestContext) => {
  const s = await chain.begin({ config: ALONE })
  await s.round()
  const { number } = await s.head()
  const order = await settle(s, mint(1, MINTED))
  assert.deepEqual(owed(await prove(s)), [String(MINTED), undefined, '0', MINTED])
  await loseAfter(s, number)
  await sendFreeze(s, 1)
  await s.mine()
  await seeAgain(s)
  assert.deepEqual(owed(await prove(s)), ['0', String(MINTED), '0', MINTED], 'nobody has said so')
  const eyes = await startEyes(s, t)
  await eyes.explain(1)
  assert.deepEqual(owed(await prove(s)), ['0', String(MINTED), '0', MINTED], 'explained')
  await sendFreeze(s, 1, 'unfreeze')
  await s.mine()
  await eyes.makeGood(`/orders/${await nameOf(s, order)}`)
  await s.round()
  await s.mine(2)
  await lookAsSettler(s, 2)
  assert.deepEqual(owed(await prove(s)), [String(MINTED), undefined, '0', MINTED])
})
