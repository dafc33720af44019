// engine: postgres; both in test:long
/** Nonces that nobody carries are filled, and final batches that have vanished are sent again; with a scripted node. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { decodeSettle, digestOf as digestOfPacked } from '../../src/chain/instructions.ts'
import { RpcAnswerError } from '../../src/chain/node.ts'
import { acquireLease, LeaseLostError } from '../../src/leases/leases.sql.ts'
import { recheckFinal } from '../../src/settlement/follow/recheck.ts'
import { fillGaps } from '../../src/settlement/repair/gaps.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { noncesOf, parse, type Scripted, sentOf } from './carried.ts'
import { A, B, C, dataOf, digestOf, startScripted } from './scripted-settler.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const start = () => startScripted(db)

/** Nothing below it is final. */
const headOf = (s: Scripted) => ({ ...s.head(), finalBlock: -1n })

/** The chain has seen nothing of these signers beyond this nonce, and their next ones are 100, 200 and 300. */
const gapOf = (s: Scripted, nonces: Record<string, bigint>) => {
  s.memory.follow.view = { nonces, batches: {} }
}

test('a gap is filled once it has lasted: with bytes that are stored, or with a transfer of nothing to the signer itself', async () => {
  const s = await start()
  const { behindGraceMs } = s.work.times
  await s.store({ batchId: 1n, nonce: 98n, status: 'final' }, { batchId: 2n, nonce: 97n })
  const settled = digestOfPacked(decodeSettle(dataOf(1n))?.packed ?? '0x')
  await db.query('update batches set digest = $2 where chain_id = $1 and batch_id = 1', [s.chainId, settled])
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

test('a next nonce that is far beyond all that was signed is taken back, and nothing is sent for what lies before it', async () => {
  for (const [stored, batches, next] of [
    [9_223_372_036_854_775_807n, [], 98n],
    [2_000n, [97n], 98n],
    [2_000n, [99n], 100n],
    // Whoever writes that may write this as well.
    [9_223_372_036_854_775_807n, [9_223_372_036_854_775_807n], 9_223_372_036_854_775_807n],
  ] as const) {
    const s = await start()
    for (const nonce of batches) {
      await s.store({ batchId: 1n, nonce: 97n, status: 'final' })
      await db.query('update batch_attempts set nonce = $2 where chain_id = $1', [s.chainId, nonce])
    }
    await db.query('update signers set next_nonce = $3 where chain_id = $1 and address = $2', [
      s.chainId,
      A.address,
      stored,
    ])
    gapOf(s, { [A.address]: 98n, [B.address]: 200n })
    for (const afterMs of [0, s.work.times.behindGraceMs]) {
      s.clock.nowMs += afterMs
      await fillGaps(s.work, s.head(), await s.inFlight())
    }
    const [row] = await db.query('select next_nonce from signers where chain_id = $1 and address = $2', [
      s.chainId,
      A.address,
    ])
    assert.deepEqual(row, { next_nonce: next }, `${stored}, ${batches}`)
    assert.equal(sentOf(s).length, next === 100n ? 2 : 0)
    assert.match(s.logged[0]?.text ?? '', /far beyond all that it has signed/)
  }
})

test('that nodes take nothing for a nonce that is missing is not told as if it were filled', async () => {
  const s = await start()
  gapOf(s, { [A.address]: 99n })
  const told = async () => {
    s.clock.nowMs += s.work.times.behindGraceMs
    await fillGaps(s.work, s.head(), await s.inFlight())
    return s.logged.map(({ text }) => text).at(-1)
  }
  await told()
  s.says.send = () => {
    throw new RpcAnswerError('node', -32_000, 'insufficient funds for gas', undefined)
  }
  assert.match((await told()) ?? '', /no node says that it takes what fills it/)
  s.says.send = () => '0x'
  await told()
  assert.match((await told()) ?? '', /has been filled/)
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

test('final batches are looked at now and then, all of the newest', async () => {
  const s = await start()
  await s.store(...[1n, 2n, 3n].map((batchId) => ({ batchId, status: 'final' as const })))
  const outcome = (batchId: bigint) => ({ settled: batchId < 3n, digest: digestOf(batchId) })
  s.says.outcome = outcome
  await recheckFinal(s.work, headOf(s))
  assert.deepEqual(noncesOf(sentOf(s)), [3n])
  assert.equal(s.askedOf('eth_call').length, 3)
  assert.deepEqual(s.countedOf('vanished'), [[s.chainId]])
  assert.deepEqual(
    [s.logged[0]?.level, s.logged[0]?.fields],
    ['fatal', { chainId: s.chainId, batchId: '3', minedBlock: '1' }],
  )
  s.clock.nowMs += s.work.times.recheckMs - 1
  await recheckFinal(s.work, headOf(s))
  assert.equal(s.askedOf('eth_call').length, 3)
  s.clock.nowMs += 1
  await recheckFinal(s.work, headOf(s))
  assert.equal(s.askedOf('eth_call').length, 6)
})

test('a settler that slept through its lease tells of no loss: its head is older than what another one has settled since', async () => {
  const s = await start()
  await s.store({ batchId: 1n, status: 'final' })
  s.says.outcome = () => ({ settled: false, digest: digestOf(1n) })
  await db.query('update leases set expires_at = now() where name = $1', [s.work.lease.name])
  assert.ok(await acquireLease(db, s.work.lease.name, 'another', 600_000))
  await assert.rejects(recheckFinal(s.work, headOf(s)), LeaseLostError)
  assert.deepEqual([s.logged, s.countedOf('vanished'), sentOf(s)], [[], [], []])
})

test('a final batch that the chain has otherwise, or not, is sent again where its nonce is free and its bytes are there', async () => {
  const s = await start()
  await s.store(...[1n, 2n, 3n].map((batchId) => ({ batchId, status: 'final' as const })))
  await db.query('delete from batch_attempts where chain_id = $1 and batch_id = 2', [s.chainId])
  s.says.outcome = () => ({ settled: true, digest: digestOf(9n) })
  s.memory.follow.view = { nonces: { [A.address]: 2n }, batches: {} }
  await recheckFinal(s.work, headOf(s))
  assert.deepEqual(noncesOf(sentOf(s)), [3n])
  assert.equal(s.countedOf('vanished').length, 3)
  s.says.outcome = (batchId) => ({ settled: false, digest: digestOf(batchId) })
  s.clock.nowMs += s.work.times.recheckMs
  await recheckFinal(s.work, headOf(s))
  assert.equal(s.countedOf('vanished').length, 6)
})

test('where pools keep other bytes under a missing nonce more is offered each time, up to the cap and then in the tip; what a pool has stays the same until the market asks for more', async () => {
  const s = await start()
  gapOf(s, { [A.address]: 99n })
  const outbid = () => {
    throw new RpcAnswerError('node', -32_000, 'replacement transaction underpriced', undefined)
  }
  const offered = async (baseFee = 100n) => {
    const head = s.head(50n, `0x${baseFee}`, baseFee)
    await fillGaps(s.work, head, await s.inFlight())
    s.clock.nowMs += s.work.times.behindGraceMs
    await fillGaps(s.work, head, await s.inFlight())
    const { maxFeePerGas, maxPriorityFeePerGas } = parse(sentOf(s).at(-1) ?? '0x')
    return [maxFeePerGas, maxPriorityFeePerGas]
  }
  s.says.send = outbid
  const first = await offered()
  assert.match(s.logged.at(-1)?.text ?? '', /nodes keep other bytes under it/)
  assert.deepEqual(first, [201n, 1n])
  assert.deepEqual(await offered(), [227n, 2n])
  s.says.send = () => '0x'
  assert.deepEqual(await offered(), [256n, 3n])
  assert.deepEqual(await offered(), [256n, 3n])
  assert.deepEqual(await offered(200n), [401n, 4n])
  gapOf(s, { [A.address]: 100n })
  await offered()
  gapOf(s, { [A.address]: 99n })
  await offered()
  assert.deepEqual(await offered(), [201n, 1n])
  gapOf(s, { [A.address]: 98n })
  await offered()
  gapOf(s, { [A.address]: 99n })
  await offered()
  assert.deepEqual([...s.memory.gaps.offered.keys()], [`${A.address} 99`])
})
