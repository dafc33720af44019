// engine: postgres; both in test:long
/** How the bytes of batches are carried: sent, sent again, paid better; with a scripted node. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { RpcAnswerError } from '../../src/chain/node.ts'
import { bumpLate } from '../../src/settlement/repair/bump.ts'
import { resendUnmined } from '../../src/settlement/send.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'
import { attemptsOf, noncesOf, parse, seenAt, sentOf } from './carried.ts'
import { A, B, C, dataOf, SETTLEMENT, startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const start = () => startScripted(db)

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

test('while gas costs more than may ever be offered no fee is raised, nor the tip with it; once it costs less, one raise pays for it', async () => {
  const s = await start()
  const { maxFeePerGasWei } = s.work.chain.config
  await s.store({ batchId: 1n }, { batchId: 2n, attempts: [{ answer: 'underpriced: a' }] })
  for (let block = 50n; block < 90n; block += 10n)
    await bumpLate(s.work, s.head(block, `0x${block}`, maxFeePerGasWei + 1n), await s.inFlight())
  assert.deepEqual(sentOf(s), [])
  await bumpLate(s.work, s.head(90n, '0x90', maxFeePerGasWei), await s.inFlight())
  const raised = await Promise.all([1n, 2n].map(async (id) => (await attemptsOf(s, id)).slice(1)))
  assert.deepEqual(
    raised.map((attempts) => attempts.map(({ fee, tip }) => [fee, tip])),
    [[[maxFeePerGasWei, 113n]], [[maxFeePerGasWei, 113n]]],
  )
})

test('at the cap the tip alone is raised where a pool keeps other bytes under the nonce; where one has them, they are what is offered', async () => {
  const s = await start()
  const capped = { maxFeePerGas: s.work.chain.config.maxFeePerGasWei, maxPriorityFeePerGas: 100n }
  const outbid = 'outbid: one: replacement transaction underpriced'
  await s.store(
    { batchId: 1n, attempts: [{ fees: capped, answer: outbid }] },
    { batchId: 2n, attempts: [{ fees: capped, answer: 'known: already known' }] },
    { batchId: 3n, attempts: [{ answer: outbid }] },
  )
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  await bumpLate(s.work, s.head(), inFlight)
  const raised = await Promise.all([1n, 2n, 3n].map(async (id) => (await attemptsOf(s, id)).slice(1)))
  assert.deepEqual(
    raised.map((attempts) => attempts.map(({ nonce, fee, tip }) => [nonce, fee, tip])),
    [[[1n, capped.maxFeePerGas, 113n]], [], [[3n, 1_125n, 113n]]],
  )
  assert.deepEqual(
    s.logged.filter(({ level }) => level !== 'debug').map(({ text }) => text),
    ['fee raised', 'fee raised'],
  )
})

test('what asks for more gas than blocks have by now is signed for as much as they have, whatever nodes said of it before', async () => {
  const s = await start()
  const [block, capped] = [30_000_000n, { maxFeePerGas: 10n ** 9n, maxPriorityFeePerGas: 1n }]
  await s.store(
    { batchId: 1n, attempts: [{ gas: block + 1n, answer: 'rejected: exceeds block gas limit' }] },
    { batchId: 2n, attempts: [{ gas: block + 1n, answer: 'accepted: a' }] },
    {
      batchId: 3n,
      attempts: [{ gas: block + 1n, fees: capped, answer: 'unknown: tx.gas_limit > env.block.gas_limit' }],
    },
    { batchId: 4n, attempts: [{ gas: 10_000_000n }] },
  )
  const inFlight = await s.inFlight()
  seenAt(s, inFlight, 40n)
  const head = s.head()
  await bumpLate(s.work, { ...head, head: { ...head.head, gasLimit: 10_000_000n } }, inFlight)
  const anew = await Promise.all([1n, 2n, 3n, 4n].map(async (id) => (await attemptsOf(s, id)).at(-1)))
  assert.deepEqual(
    anew.map((attempt) => [attempt?.gas, BigInt(parse(attempt?.raw).gas ?? 0n), attempt?.fee]),
    [
      [10_000_000n, 10_000_000n, 1_125n],
      [10_000_000n, 10_000_000n, 1_125n],
      [10_000_000n, 10_000_000n, 10n ** 9n],
      [10_000_000n, 10_000_000n, 1_125n],
    ],
  )
  const told = s.logged.filter(({ text }) => text.startsWith('gas limit lowered'))
  assert.deepEqual(
    told.map(({ fields }) => [fields.batchId, fields.gasLimit, fields.before]),
    ['1', '2', '3'].map((batchId) => [batchId, '10000000', '30000001']),
  )
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
