// engine: postgres; both in test:long
/** How the bytes of batches are carried: sent, sent again, paid better, handed to another signer; with a scripted node. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Hex, parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import { RpcAnswerError } from '../../src/chain/node.ts'
import { recheckFinal } from '../../src/settlement/follow/recheck.ts'
import { bumpLate } from '../../src/settlement/repair/bump.ts'
import { fillGaps } from '../../src/settlement/repair/gaps.ts'
import { handOver } from '../../src/settlement/repair/hand-over.ts'
import { resendUnmined } from '../../src/settlement/send.ts'
import type { InFlightBatch } from '../../src/settlement/tables/in-flight.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { A, B, C, dataOf, digestOf, FEES, GAS, Revert, SETTLEMENT, startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const start = (config?: object) => startScripted(db, config)
type Scripted = Awaited<ReturnType<typeof start>>

const COST = GAS * FEES.maxFeePerGas
const parse = (raw: unknown) => parseTransaction(raw as TransactionSerializedEIP1559)
const noncesOf = (raws: readonly unknown[]) => raws.map((raw) => BigInt(parse(raw).nonce ?? 0))
const sentOf = (s: Scripted) => s.askedOf('eth_sendRawTransaction')
/** Every attempt at this settler's batches, newest last. */
const attemptsOf = (s: Scripted, batchId: bigint) =>
  db.query<{ signer: string; nonce: bigint; gas: bigint; fee: bigint; tip: bigint; raw: Hex; answer: string | null }>(
    `select signer, nonce, gas_limit as gas, max_fee_per_gas::bigint as fee, max_priority_fee_per_gas::bigint as tip,
       '0x' || encode(raw_transaction, 'hex') as raw, last_answer as answer
     from batch_attempts where chain_id = $1 and batch_id = $2 order by created_at`,
    [s.chainId, batchId],
  )
const carriers = async (s: Scripted) => (await s.inFlight()).map(({ signer, nonce }) => [signer, nonce])
/** Every attempt was first seen at this block. */
const seenAt = (s: Scripted, batches: readonly InFlightBatch[], block: bigint) =>
  (s.memory.bump.seenAtBlock = new Map(
    batches.flatMap(({ attempts }) => attempts.map(({ txHash }) => [txHash, block])),
  ))
const poor =
  (...signers: { address: string }[]) =>
  (address: string) =>
    signers.some((signer) => signer.address === address) ? COST - 1n : 10n ** 18n

test('bytes are sent that never were, or not for the configured time, the oldest batches and cheapest attempts first', async () => {
  const s = await start()
  const { rebroadcastMs } = s.work.times
  const dear = { maxFeePerGas: 2_000n, maxPriorityFeePerGas: 200n }
  await s.store(
    { batchId: 1n, attempts: [{}, { fees: dear }] },
    ...[2n, 3n, 4n, 5n, 6n].map((batchId) => ({ batchId })),
    { batchId: 7n, status: 'mined' as const },
    { batchId: 8n, attempts: [{ nonce: 3n }, {}] },
  )
  const since = [null, null, 0, rebroadcastMs - 1, rebroadcastMs, -1, null, null]
  const inFlight = (await s.inFlight()).map((batch, index) => ({
    ...batch,
    attempts: batch.attempts.map((attempt) => ({ ...attempt, sinceBroadcastMs: since[index] ?? null })),
  }))
  await resendUnmined(s.work, inFlight)
  assert.deepEqual(noncesOf(sentOf(s)).sort(), [1n, 1n, 2n, 5n, 6n, 8n])
  assert.deepEqual(
    sentOf(s).slice(0, 2),
    (await attemptsOf(s, 1n)).map(({ raw }) => raw),
  )
  assert.deepEqual(
    (await attemptsOf(s, 2n)).map(({ answer }) => answer),
    ['accepted: scripted: accepted'],
  )
  assert.equal((await attemptsOf(s, 3n))[0]?.answer, null)
  assert.deepEqual(s.steps.slice(0, 1), ['batch-broadcast'])
  assert.equal(s.steps.filter((step) => step === 'broadcast-recorded').length, 6)
})

test('bytes under a nonce that the chain has taken are not sent', async () => {
  const s = await start()
  await s.store({ batchId: 1n }, { batchId: 2n })
  s.memory.follow.view = { nonces: { [A.address]: 2n }, batches: {} }
  await resendUnmined(s.work, await s.inFlight())
  assert.deepEqual(noncesOf(sentOf(s)), [2n])
})

test('at most sixteen go out in a round', async () => {
  const s = await start()
  await s.store(...Array.from({ length: 18 }, (_, index) => ({ batchId: BigInt(index + 1) })))
  await resendUnmined(s.work, await s.inFlight())
  assert.deepEqual(
    noncesOf(sentOf(s)).sort((a, b) => Number(a - b)),
    Array.from({ length: 16 }, (_, index) => BigInt(index + 1)),
  )
})

test('what a node answers is recorded, and told where it is no good news', async () => {
  const s = await start()
  const answers = ['already known', 'insufficient funds', 'who knows']
  await s.store(...[1n, 2n, 3n, 4n].map((batchId) => ({ batchId })))
  s.says.send = (raw) => {
    const text = answers[Number(parse(raw).nonce) - 1]
    if (text !== undefined) throw new RpcAnswerError('scripted', -32000, text, undefined)
    return '0x1'
  }
  await resendUnmined(s.work, await s.inFlight())
  const told = [...s.logged].sort((a, b) => String(a.fields.answer).localeCompare(String(b.fields.answer)))
  assert.deepEqual(
    told.map(({ level, fields }) => [level, fields.verdict, fields.chainId]),
    [
      ['debug', 'accepted', s.chainId],
      ['debug', 'known', s.chainId],
      ['warn', 'rejected', s.chainId],
      ['warn', 'unknown', s.chainId],
    ],
  )
  const [first] = (await s.inFlight())[1]?.attempts ?? []
  assert.equal(first?.verdict, 'rejected')
})

test('a fee is raised after as many blocks as configured, under the same nonce and gas limit, for the same call', async () => {
  const s = await start()
  const gas = 77_777n
  await s.store({
    batchId: 1n,
    attempts: [{ nonce: 0n, gas: 1n }, { gas }, { gas, fees: { maxFeePerGas: 1_200n, maxPriorityFeePerGas: 120n } }],
  })
  await bumpLate(s.work, s.head(50n), await s.inFlight())
  await bumpLate(s.work, s.head(52n), await s.inFlight())
  assert.equal((await attemptsOf(s, 1n)).length, 3)
  await bumpLate(s.work, s.head(53n), await s.inFlight())
  const [raised, ...more] = (await attemptsOf(s, 1n)).slice(3)
  assert.deepEqual(more, [])
  assert.deepEqual(
    [raised?.signer, raised?.nonce, raised?.gas, raised?.fee, raised?.tip],
    [A.address, 1n, gas, 1_350n, 135n],
  )
  const { to, data, value, maxFeePerGas, chainId } = parse(raised?.raw)
  assert.deepEqual(
    [to?.toLowerCase(), data, value ?? 0n, maxFeePerGas, chainId],
    [SETTLEMENT.toLowerCase(), dataOf(1n), 0n, 1_350n, s.chainId],
  )
  assert.deepEqual(sentOf(s), [raised?.raw])
  assert.deepEqual(s.steps.slice(0, 2), ['bump-signed', 'bump-stored'])
  assert.deepEqual(s.countedOf('bumped'), [[s.chainId]])
  const [told] = s.logged.filter(({ level }) => level === 'info')
  assert.deepEqual([told?.fields.batchId, told?.fields.maxFeePerGas], ['1', '1350'])
  assert.equal(s.memory.bump.seenAtBlock.size, 3)
  await bumpLate(s.work, s.head(55n), await s.inFlight())
  assert.equal(sentOf(s).length, 1, 'the raised one has its own blocks')
  await bumpLate(s.work, s.head(56n), await s.inFlight())
  assert.equal(sentOf(s).length, 2)
})

test('what is no longer under way is forgotten', async () => {
  const s = await start()
  await s.store({ batchId: 1n }, { batchId: 2n })
  const both = await s.inFlight()
  await bumpLate(s.work, s.head(50n), both)
  assert.equal(s.memory.bump.seenAtBlock.size, 2)
  await bumpLate(s.work, s.head(51n), both.slice(1))
  assert.deepEqual([...s.memory.bump.seenAtBlock], [[both[1]?.attempts[0]?.txHash, 50n]])
})

test('no fee is raised of what is mined, was refused, whose nonce is used, or whose signer is not configured', async () => {
  const s = await start()
  await s.store(
    { batchId: 1n, status: 'mined' },
    { batchId: 2n, attempts: [{ fees: { maxFeePerGas: 125n, maxPriorityFeePerGas: 1n }, answer: 'rejected: no' }] },
    { batchId: 3n, signer: B },
    { batchId: 4n },
    { batchId: 5n },
  )
  s.memory.follow.view = { nonces: { [A.address]: 5n }, batches: {} }
  s.work.chain.signers = [A, C]
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await bumpLate(s.work, s.head(), inFlight)
  assert.deepEqual(noncesOf(sentOf(s)), [5n])
})

test('what nodes refuse is signed for less than the cheapest that they refused, unless they have taken one', async () => {
  const s = await start()
  const [refused, dearer] = [
    'rejected: exceeds the configured cap',
    { maxFeePerGas: 1_125n, maxPriorityFeePerGas: 113n },
  ]
  const silent = { fees: { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 10n ** 9n }, answer: 'unknown: nobody' }
  await s.store(
    { batchId: 1n, attempts: [{ answer: refused }, { fees: dearer, answer: refused }] },
    { batchId: 2n, attempts: [{ answer: 'accepted: a' }, { fees: dearer, answer: refused }] },
    { batchId: 3n, attempts: [{ answer: 'known: a' }, { fees: dearer, answer: refused }] },
    { batchId: 4n, attempts: [{ answer: refused }, silent] },
    { batchId: 5n, attempts: [{ answer: 'known: a' }, silent] },
  )
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await bumpLate(s.work, s.head(), inFlight)
  const lowered = await Promise.all([1n, 4n].map(async (id) => (await attemptsOf(s, id)).at(-1)))
  assert.deepEqual(
    lowered.map((attempt) => [attempt?.nonce, attempt?.fee, attempt?.tip]),
    [
      [1n, 113n, 1n],
      [4n, 113n, 1n],
    ],
  )
  assert.deepEqual(noncesOf(sentOf(s)), [1n, 4n])
  assert.deepEqual(s.countedOf('bumped'), [])
})

test('what one node refuses while another is silent is signed for less first, and raised where less would not be mined', async () => {
  const s = await start()
  const answer = 'doubtful: exceeds the configured cap; b: no answer'
  const mined = { fees: { maxFeePerGas: 120n, maxPriorityFeePerGas: 1n }, answer }
  await s.store(
    { batchId: 1n, attempts: [{ answer }] },
    { batchId: 2n, attempts: [mined] },
    {
      batchId: 3n,
      attempts: [{ answer: 'known: a' }, { fees: { maxFeePerGas: 1_125n, maxPriorityFeePerGas: 113n }, answer }],
    },
  )
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await bumpLate(s.work, s.head(), inFlight)
  const fees = await Promise.all([1n, 2n, 3n].map(async (id) => (await attemptsOf(s, id)).at(-1)?.fee))
  assert.equal(fees[0], 113n)
  assert.ok((fees[1] ?? 0n) > 120n && (fees[2] ?? 0n) > 1_125n, String(fees))
})

test('at most eight fees are raised in a round; what cannot be raised takes nobody’s turn', async () => {
  const s = await start()
  const failing = { ...B, sign: () => Promise.reject(new Error('is locked')) }
  const capped = { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }
  const ids = Array.from({ length: 10 }, (_, index) => BigInt(index + 10))
  await s.store(
    { batchId: 1n, signer: B },
    { batchId: 2n, attempts: [{ fees: capped }] },
    { batchId: 3n, signer: C },
    { batchId: 4n },
    ...ids.map((batchId) => ({ batchId })),
  )
  s.work.chain.signers = [A, failing]
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await db.query('delete from batch_attempts where chain_id = $1 and batch_id = 4', [s.chainId])
  await bumpLate(s.work, s.head(), inFlight)
  assert.deepEqual(noncesOf(sentOf(s)), ids.slice(0, 8))
  const [warned] = s.logged.filter(({ level }) => level === 'warn')
  assert.deepEqual([warned?.fields.batchId, warned?.fields.error], ['1', 'is locked'])
  assert.equal((await attemptsOf(s, 1n)).length, 1)
})

const PATIENT = { timeoutMs: atLeast(5_000) }

test('signatures for late fees are asked for side by side, eight at a time, and stored in their order', async () => {
  const s = await start()
  const ids = Array.from({ length: 20 }, (_, index) => BigInt(index + 1))
  await s.store(...ids.map((batchId) => ({ batchId })))
  let asking = 0
  let most = 0
  let asked = 0
  let isAlone = false
  // It answers once eight, or all that are left, are asked for; and it signs the last four of twenty.
  const slow = {
    ...A,
    async sign(request: Parameters<typeof A.sign>[0]) {
      asked += 1
      asking += 1
      most = Math.max(most, asking)
      const together = Math.min(20, Math.ceil(asked / 8) * 8)
      if (!isAlone) await waitFor('the others', () => asked >= together, PATIENT).catch(() => (isAlone = true))
      asking -= 1
      if (request.nonce <= 16n) throw new Error('does not answer')
      return await A.sign(request)
    },
  }
  s.work.chain.signers = [slow]
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await bumpLate(s.work, s.head(), inFlight)
  assert.deepEqual([most, asked], [8, 20])
  assert.deepEqual(noncesOf(sentOf(s)), [17n, 18n, 19n, 20n])
})

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

/** The chain has seen nothing of these signers beyond this nonce, and their next ones are 100, 200 and 300. */
const gapOf = (s: Scripted, nonces: Record<string, bigint>) => {
  s.memory.follow.view = { nonces, batches: {} }
}

test('a gap is filled once it has lasted: with bytes that are stored, or with a transfer of nothing to the signer itself', async () => {
  const s = await start()
  const { behindGraceMs } = s.work.times
  await s.store({ batchId: 1n, nonce: 98n, status: 'final' }, { batchId: 2n, nonce: 97n })
  gapOf(s, { [A.address]: 98n, [B.address]: 200n })
  const fill = async (afterMs: number) => {
    s.clock.nowMs += afterMs
    await fillGaps(s.work, s.head(), await s.inFlight())
    return sentOf(s).length
  }
  assert.equal(await fill(0), 0)
  assert.equal(await fill(behindGraceMs - 1), 0)
  assert.equal(await fill(1), 2)
  const [stored, empty] = [...sentOf(s)].sort((a, b) => Number(parse(a).nonce) - Number(parse(b).nonce)).map(parse)
  assert.deepEqual([stored?.nonce, stored?.data], [98, dataOf(1n)])
  assert.deepEqual([empty?.nonce, empty?.data ?? '0x', empty?.value ?? 0n, empty?.gas], [99, '0x', 0n, 21_000n])
  assert.equal(empty?.to?.toLowerCase(), A.address.toLowerCase())
  assert.deepEqual(s.logged.map(({ level, fields }) => [level, fields.signer, fields.nonce, fields.stored]).sort(), [
    ['error', A.address, '98', true],
    ['error', A.address, '99', false],
  ])
  assert.equal(await fill(0), 2, 'each time it has to last')
  assert.equal(await fill(behindGraceMs - 1), 2)
  gapOf(s, { [A.address]: 100n })
  assert.equal(await fill(1), 2)
  gapOf(s, { [A.address]: 98n })
  assert.equal(await fill(0), 2, 'a gap that ended has to last anew')
})

test('what fills the nonce of a batch that was handed over replaces its transaction, which may still be in the pools', async () => {
  const s = await start()
  const dear = { fees: { maxFeePerGas: 150n, maxPriorityFeePerGas: 40n } }
  await s.store({
    batchId: 1n,
    nonce: 99n,
    attempts: [dear, { fees: { maxFeePerGas: 120n, maxPriorityFeePerGas: 30n } }],
  })
  await db.query('update batches set signer = $2, nonce = 200 where chain_id = $1', [s.chainId, B.address])
  gapOf(s, { [A.address]: 99n })
  for (const afterMs of [0, s.work.times.behindGraceMs]) {
    s.clock.nowMs += afterMs
    await fillGaps(s.work, s.head(), await s.inFlight())
  }
  const [empty] = sentOf(s).map(parse)
  assert.deepEqual(
    [empty?.nonce, empty?.data ?? '0x', empty?.maxFeePerGas, empty?.maxPriorityFeePerGas],
    [99, '0x', 201n, 45n],
  )
})

test('who cannot pay, cannot sign or is not configured gets no gap filled, and holds up nobody', async () => {
  const s = await start()
  gapOf(s, { [A.address]: 99n, [B.address]: 199n, [C.address]: 299n, '0xnobody': 0n })
  await db.query("insert into signers values ($1, '0xnobody', 1)", [s.chainId])
  s.work.chain.signers = [A, { ...B, sign: () => Promise.reject(new Error('is locked')) }, C]
  s.says.balance = (who) => (who === A.address ? 21_000n * 201n - 1n : 21_000n * 201n)
  await fillGaps(s.work, s.head(), [])
  s.clock.nowMs += s.work.times.behindGraceMs
  await fillGaps(s.work, s.head(50n, '0xa', 10n ** 10n), [])
  assert.deepEqual(sentOf(s), [], 'above the maximum fee nothing is signed')
  await fillGaps(s.work, s.head(), [])
  s.clock.nowMs += s.work.times.behindGraceMs
  await fillGaps(s.work, s.head(), [])
  assert.deepEqual(noncesOf(sentOf(s)), [299n])
  assert.deepEqual(
    s.logged
      .filter(({ text }) => /was not filled/.test(text))
      .map(({ fields }) => [fields.signer, fields.nonce, fields.error]),
    [[B.address, '199', 'is locked']],
  )
})

test('final batches are looked at now and then, the newest first, until one is found', async () => {
  const s = await start()
  await s.store(...[1n, 2n, 3n].map((batchId) => ({ batchId, status: 'final' as const })))
  const outcome = (batchId: bigint) => ({ settled: batchId < 3n, digest: digestOf(batchId) })
  s.says.outcome = outcome
  await recheckFinal(s.work, s.head())
  assert.deepEqual(noncesOf(sentOf(s)), [3n])
  assert.equal(s.askedOf('eth_call').length, 2)
  assert.deepEqual(s.countedOf('vanished'), [[s.chainId]])
  assert.deepEqual(
    [s.logged[0]?.level, s.logged[0]?.fields],
    ['fatal', { chainId: s.chainId, batchId: '3', minedBlock: '1' }],
  )
  s.clock.nowMs += s.work.times.recheckMs - 1
  await recheckFinal(s.work, s.head())
  assert.equal(s.askedOf('eth_call').length, 2)
  s.clock.nowMs += 1
  await recheckFinal(s.work, s.head())
  assert.equal(s.askedOf('eth_call').length, 4)
})

test('a final batch that the chain has otherwise, or not, is sent again where its nonce is free and its bytes are there', async () => {
  const s = await start()
  await s.store(...[1n, 2n, 3n].map((batchId) => ({ batchId, status: 'final' as const })))
  await db.query('delete from batch_attempts where chain_id = $1 and batch_id = 2', [s.chainId])
  s.says.outcome = () => ({ settled: true, digest: digestOf(9n) })
  s.memory.follow.view = { nonces: { [A.address]: 2n }, batches: {} }
  await recheckFinal(s.work, s.head())
  assert.deepEqual(noncesOf(sentOf(s)), [3n])
  assert.equal(s.countedOf('vanished').length, 3)
  s.says.outcome = (batchId) => ({ settled: false, digest: digestOf(batchId) })
  s.clock.nowMs += s.work.times.recheckMs
  await recheckFinal(s.work, s.head())
  assert.equal(s.countedOf('vanished').length, 6)
})
