// engine: postgres; both in test:long
/** To whom a batch goes whose signer cannot go on, and when; with a scripted node. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { bumpLate } from '../../src/settlement/repair/bump.ts'
import { handOver } from '../../src/settlement/repair/hand-over.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { attemptsOf, COST, carriers, noncesOf, parse, poor, type Scripted, seenAt, sentOf } from './carried.ts'
import { A, B, C, dataOf, GAS, Revert, SETTLEMENT, startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const start = () => startScripted(db)

test('the batches of a signer that cannot pay are signed by another one, in their order, once a block came without them', async () => {
  const s = await start()
  const gas = [60_000n, 70_000n]
  await s.store(
    {
      batchId: 1n,
      attempts: [{ gas: 10n ** 9n, nonce: 0n }, { gas: 80_000n }, { gas: 65_000n }, { gas: gas[0] ?? 0n }],
    },
    { batchId: 2n, attempts: [{ gas: gas[1] ?? 0n }] },
    { batchId: 3n, signer: C },
    { batchId: 4n, status: 'mined' },
  )
  s.says.balance = poor(A)
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 50n)
  assert.equal(await handOver(s.work, s.head(), inFlight), false)
  assert.deepEqual(s.asked, [], 'no block has come without them')
  assert.equal(await handOver(s.work, s.head(51n), inFlight), true)
  assert.deepEqual(await carriers(s), [
    [B.address, 200n],
    [B.address, 201n],
    [C.address, 3n],
    [A.address, 4n],
  ])
  for (const [index, batchId] of [1n, 2n].entries()) {
    const newest = (await attemptsOf(s, batchId)).at(-1)
    const transaction = parse(newest?.raw)
    const { fee, tip } = newest ?? {}
    assert.deepEqual([newest?.signer, newest?.nonce, newest?.gas], [B.address, 200n + BigInt(index), gas[index]])
    assert.deepEqual([fee, tip, transaction.maxFeePerGas, transaction.maxPriorityFeePerGas], [201n, 1n, 201n, 1n])
    assert.deepEqual([transaction.data, transaction.value ?? 0n, transaction.gas], [dataOf(batchId), 0n, gas[index]])
    assert.equal(transaction.to?.toLowerCase(), SETTLEMENT.toLowerCase())
    assert.equal(newest?.answer, 'accepted: scripted: accepted')
  }
  assert.deepEqual(noncesOf(sentOf(s)).sort(), [200n, 201n])
  assert.equal(s.steps[0], 'batches-handed-over')
  assert.deepEqual(s.countedOf('handedOver'), [[s.chainId, 2]])
  const { text: _, ...told } = s.logged.find(({ level }) => level === 'error') ?? { text: '' }
  assert.deepEqual(told, {
    level: 'error',
    fields: { chainId: s.chainId, from: A.address, to: B.address, batches: 2, why: 'gas-balance' },
  })
  const [next] = await db.query<{ next_nonce: bigint }>(
    'select next_nonce from signers where chain_id = $1 and address = $2',
    [s.chainId, B.address],
  )
  assert.equal(next?.next_nonce, 202n)
})

test('what is handed over asks for no more gas than blocks have by now', async () => {
  const s = await start()
  await s.store({ batchId: 1n, attempts: [{ gas: 80_000n }] }, { batchId: 2n, attempts: [{ gas: 60_000n }] })
  s.says.balance = poor(A)
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 50n)
  const at = s.head(51n)
  assert.equal(await handOver(s.work, { ...at, head: { ...at.head, gasLimit: 70_000n } }, inFlight), true)
  const gas = await Promise.all([1n, 2n].map(async (id) => (await attemptsOf(s, id)).at(-1)?.gas))
  assert.deepEqual(gas, [70_000n, 60_000n])
})

test('one refused attempt is late enough, an attempt not seen before is not, and a mined batch never is', async () => {
  const asksFor = async (attempts: { answer?: string }[], status: 'signed' | 'mined' = 'signed') => {
    const s = await start()
    await s.store({
      batchId: 1n,
      attempts: attempts.map((each, index) => ({ ...each, gas: GAS + BigInt(index) })),
      status,
    })
    assert.equal(await handOver(s.work, s.head(), await s.inFlight()), false)
    return s.askedOf('eth_estimateGas').length > 0
  }
  assert.equal(await asksFor([{}, { answer: 'accepted: yes' }]), false)
  assert.equal(await asksFor([{ answer: 'rejected: no' }, {}]), true)
  assert.equal(await asksFor([{ answer: 'rejected: no' }], 'mined'), false)
})

test('whether a signer can go on is asked once for each head', async () => {
  const s = await start()
  await s.store({ batchId: 1n })
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  for (const hash of ['0xa', '0xa', '0xb'] as const) await handOver(s.work, s.head(50n, hash), inFlight)
  assert.equal(s.askedOf('eth_estimateGas').length, 2)
  assert.equal(await handOver(s.work, s.head(50n, '0xc'), []), false)
})

/** Whether and to whom the only batch goes. */
async function goesTo(
  says: Partial<Scripted['says']>,
  prepare?: (s: Scripted) => unknown,
  head: Parameters<Scripted['head']> = [],
) {
  const s = await start()
  await s.store({ batchId: 1n, attempts: [{ fees: { maxFeePerGas: 1_100n, maxPriorityFeePerGas: 1n } }, {}] })
  Object.assign(s.says, says)
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await prepare?.(s)
  const given = await handOver(s.work, s.head(...head), inFlight)
  const [batch] = await s.inFlight()
  const name = { [A.address]: 'A', [B.address]: 'B', [C.address]: 'C' }[batch?.signer ?? '']
  assert.equal(given, name !== 'A')
  return { name, s }
}
const without =
  (...signers: { address: string }[]) =>
  (from: string) => {
    if (signers.some(({ address }) => address === from)) throw new Revert('AccessControlUnauthorizedAccount')
    return GAS
  }

test('a signer without its role hands over to the next one that has it; another revert, or silence, says nothing', async () => {
  const { name, s } = await goesTo({ estimate: without(A, B) })
  assert.equal(name, 'C')
  assert.equal(s.logged.find(({ level }) => level === 'error')?.fields.why, 'role')
  assert.equal((await goesTo({ estimate: without(A, B, C) })).name, 'A')
  const paused = (): bigint => {
    throw new Revert('EnforcedPause')
  }
  assert.equal((await goesTo({ estimate: paused })).name, 'A')
  const silent = (): bigint => {
    throw new Error('no answer')
  }
  assert.equal((await goesTo({ estimate: silent })).name, 'A')
})

test('a signer whose address runs code hands over', async () => {
  const says = {
    estimate: (from: string) => {
      if (from !== C.address) throw new Revert('CallerHasCode')
      return GAS
    },
  }
  const { name, s } = await goesTo(says)
  assert.equal(name, 'C')
  assert.equal(s.logged.find(({ level }) => level === 'error')?.fields.why, 'code')
})

test('the batch of a signer that is configured no longer is signed by another one when its fee would have been raised', async () => {
  const s = await start()
  await s.store({ batchId: 1n }, { batchId: 2n })
  s.work.chain.signers = [B, C]
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 50n)
  assert.equal(await handOver(s.work, s.head(52n), inFlight), false)
  assert.equal(await handOver(s.work, s.head(53n), inFlight), true)
  assert.deepEqual(await carriers(s), [
    [B.address, 200n],
    [B.address, 201n],
  ])
  assert.equal(s.logged.find(({ level }) => level === 'error')?.fields.why, 'not configured')
})

test('the batches of a signer that does not sign are signed by another one when their fee would have been raised', async () => {
  const s = await start()
  await s.store({ batchId: 1n }, { batchId: 2n })
  const locked = { ...A, sign: () => Promise.reject(new Error('is locked')) }
  s.work.chain.signers = [locked, B, C]
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 50n)
  s.memory.form.unsigningUntilMs.set(A.address, s.clock.nowMs + 1)
  assert.equal(await handOver(s.work, s.head(52n), inFlight), false, 'it may be mined as it is')
  s.memory.form.unsigningUntilMs.clear()
  assert.equal(await handOver(s.work, s.head(53n, '0xa'), inFlight), false, 'nobody has found out')
  await bumpLate(s.work, s.head(53n, '0xb'), inFlight)
  assert.equal(await handOver(s.work, s.head(53n, '0xb'), inFlight), true)
  assert.deepEqual(await carriers(s), [
    [B.address, 200n],
    [B.address, 201n],
  ])
  assert.equal(s.logged.find(({ level }) => level === 'error')?.fields.why, 'does not sign')
})

test('a signer that signs again keeps its batches', async () => {
  const s = await start()
  await s.store({ batchId: 1n })
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 50n)
  s.memory.form.unsigningUntilMs.set(A.address, s.clock.nowMs)
  assert.equal(await handOver(s.work, s.head(53n), inFlight), false)
})

test('a signer that can pay for one of the attempts keeps the batch; the other one must be able to pay', async () => {
  const own = (wei: bigint, others = 10n ** 18n) => ({ balance: (who: string) => (who === A.address ? wei : others) })
  assert.equal((await goesTo(own(COST))).name, 'A')
  assert.equal((await goesTo(own(COST - 1n))).name, 'B')
  assert.equal((await goesTo(own(0n, GAS * 201n))).name, 'B')
  assert.equal((await goesTo(own(0n, GAS * 201n - 1n))).name, 'A')
})

test('a signer that cannot pay, sign, or is not registered is passed over; above the maximum fee nobody takes over', async () => {
  const rich = { balance: poor(A) }
  assert.equal((await goesTo({ balance: (who) => (who === C.address ? 10n ** 18n : 0n) })).name, 'C')
  const unregister = (s: Scripted) =>
    db.query('delete from signers where chain_id = $1 and address = $2', [s.chainId, B.address])
  assert.equal((await goesTo(rich, unregister)).name, 'C')
  const { name, s } = await goesTo(rich, ({ work }) => {
    work.chain.signers = [A, { ...B, sign: () => Promise.reject(new Error('is locked')) }, C]
  })
  assert.equal(name, 'C')
  assert.deepEqual(
    s.logged.filter(({ level }) => level === 'warn').map(({ fields }) => [fields.signer, fields.error]),
    [[B.address, 'is locked']],
  )
  assert.equal((await goesTo(rich, undefined, [50n, '0xa', 10n ** 10n])).name, 'A')
})

test('as many are handed over as the other signer can pay for', async () => {
  const s = await start()
  await s.store({ batchId: 1n }, { batchId: 2n })
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  s.says.balance = (who) => (who === B.address ? 2n * GAS * 201n - 1n : 0n)
  assert.equal(await handOver(s.work, s.head(), inFlight), true)
  assert.deepEqual(await carriers(s), [
    [B.address, 200n],
    [A.address, 2n],
  ])
  assert.deepEqual(s.countedOf('handedOver'), [[s.chainId, 1]])
})

test('when the nonce was taken meanwhile nothing is handed over, stored or sent', async () => {
  const s = await start()
  await s.store({ batchId: 1n })
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  s.says.balance = poor(A)
  const taking = {
    ...B,
    async sign(...args: Parameters<typeof B.sign>) {
      await db.query('update signers set next_nonce = next_nonce + 1 where chain_id = $1', [s.chainId])
      return await B.sign(...args)
    },
  }
  s.work.chain.signers = [A, taking]
  await assert.rejects(handOver(s.work, s.head(), inFlight), /nonce 200 was taken/)
  assert.deepEqual(await carriers(s), [[A.address, 1n]])
  assert.deepEqual([(await attemptsOf(s, 1n)).length, sentOf(s)], [1, []])
})
