// engine: postgres; both in test:long
/** The watch over the coin in existence, block by block, with scripted nodes: what is news, what is none, and when. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { LeaseLostError, releaseLease } from '../../src/leases/leases.sql.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { wallet } from './fixture.ts'
import { COIN, outsideHashOf, transactionOf } from './scripted-chain.ts'
import { batch, DEPTH, mint, redeem, THIEF, theirs, transfer, watchScripted } from './scripted-watch.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

test('batches that this database has signed are no news, whatever failed in them, and nothing grows with the chain', async () => {
  const s = await watchScripted(db)
  const failed = { ...batch(3n, mint(50n), mint(60n), redeem(2n)), bitmap: 0b101n }
  const ours = [batch(1n, mint(5n), mint(7n)), batch(2n, redeem(3n), transfer(4n)), failed]
  for (const each of ours) await s.sign(each)
  await s.block()
  for (const each of ours) await s.block({ batches: [each] })
  const many = [batch(4n, mint(1n)), batch(5n, mint(2n)), batch(6n, mint(3n))]
  for (const each of many) await s.sign(each)
  await s.block({ batches: many })
  // What may yet be undone is kept: no node is asked for it again.
  assert.deepEqual([...s.memory.effects.keys()], [2n, 3n, 4n, 5n, 6n])
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  assert.deepEqual(await s.movements(), [])
  assert.deepEqual([s.memory.looks.length, s.memory.effects.size], [DEPTH, 0])
  assert.deepEqual([s.logged, s.counted, s.memory.isPaused], [[], [], false])
})

test('a batch that another chain or nobody has signed under this id is news, at once and once, with who did what', async () => {
  const s = await watchScripted(db)
  const stolen = theirs(1n, mint(5n, 3), redeem(2n, 4), transfer(1n), mint(9n))
  await s.sign(stolen, s.chainId + 1_000)
  await s.sign(batch(1n, mint(4n, 3)))
  await s.block()
  await s.block({ batches: [{ ...stolen, bitmap: 0b0111n }] })
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  const [row, ...more] = await s.rows()
  assert.deepEqual(more, [])
  const at = { txHash: transactionOf(stolen), block: '2' }
  assert.deepEqual(row, {
    kind: 'batch',
    batch: '1',
    after: '1',
    seen: '2',
    amount: null,
    pauses: true,
    details: `batch 1 was made by ${THIEF}, with 3 instructions that moved coin`,
    transactions: [
      { ...at, from: null, to: wallet(3), amount: '0.000005' },
      { ...at, from: wallet(4), to: null, amount: '0.000002' },
      { ...at, from: wallet(1), to: wallet(2), amount: '0.000001' },
    ],
  })
  assert.equal(s.memory.isPaused, true)
  assert.deepEqual(s.counted, [[s.chainId, 'batch']])
  const [line, ...others] = s.logged
  assert.deepEqual(others, [])
  assert.match(line?.text ?? '', /asked for: batch 1 was made by .*; settlement is paused until "coin chain resume"$/)
  const { transactions, ...fields } = line?.fields ?? {}
  assert.deepEqual(fields, {
    chainId: s.chainId,
    kind: 'batch',
    batchId: '1',
    afterBlock: '1',
    seenBlock: '2',
    pauses: true,
  })
  assert.equal((transactions as unknown[]).length, 3)
})

test('another batch under the id of one that was news is news again, and pauses, once a reorganisation has put it there; the same one is none', async () => {
  const s = await watchScripted(db)
  for (let block = 0; block <= DEPTH; block += 1) await s.block()
  await s.block({ batches: [theirs(1n, mint(5n))] })
  await db.query('update foreign_movements set ended_at = now() where chain_id = $1', [s.chainId])
  s.memory.isPaused = false
  s.chain.reorganise(1)
  await s.block({ batches: [theirs(1n, mint(5n))] })
  assert.deepEqual([(await s.rows()).length, s.memory.isPaused], [1, false])
  s.chain.reorganise(1)
  await s.block({ batches: [theirs(1n, mint(900n))] })
  const amounts = (await s.rows()).map(({ transactions }) => transactions[0]?.amount)
  assert.deepEqual([amounts, s.memory.isPaused], [['0.000005', '0.0009'], true])
})

test('coin that is made or destroyed outside batches is news of the block that shows it, to the last unit', async () => {
  const s = await watchScripted(db, { onForeignMovement: 'report' })
  const ours = batch(1n, mint(40n))
  await s.sign(ours)
  await s.block()
  await s.block({ batches: [ours] })
  await s.block()
  await s.block({ outsideMicro: 1n })
  await s.block()
  await s.block({ outsideMicro: -2n })
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  assert.deepEqual(await s.rows(), [
    {
      kind: 'supply',
      batch: null,
      after: '3',
      seen: '4',
      amount: '1',
      pauses: false,
      details: '0.000001 coin was made outside every batch',
      transactions: [{ txHash: outsideHashOf(4n), block: '4', from: null, to: COIN, amount: '0.000001' }],
    },
    {
      kind: 'supply',
      batch: null,
      after: '5',
      seen: '6',
      amount: '-2',
      pauses: false,
      details: '0.000002 coin was destroyed outside every batch',
      transactions: [{ txHash: outsideHashOf(6n), block: '6', from: COIN, to: null, amount: '0.000002' }],
    },
  ])
  assert.equal(s.memory.isPaused, false)
  assert.match(s.logged[0]?.text ?? '', /; settlement goes on$/)
  assert.deepEqual(
    s.logged.map(({ level, fields }) => [level, 'batchId' in fields]),
    [
      ['fatal', false],
      ['fatal', false],
    ],
  )
})

test('what hides among batches of ours in one block is news, with all blocks since the last look and no other', async () => {
  const s = await watchScripted(db)
  const ours = [1n, 2n, 3n].map((id) => batch(id, mint(id)))
  for (const each of ours) await s.sign(each)
  await s.block()
  await s.block({ outsideMicro: 3n })
  s.chain.mine({ outsideMicro: 4n })
  s.chain.mine({ batches: ours.slice(0, 2) })
  await s.block({ batches: ours.slice(2), outsideMicro: 5n })
  const rows = await s.rows()
  assert.deepEqual(
    rows.map(({ amount, after: from, seen, transactions }) => [
      amount,
      from,
      seen,
      transactions.map(({ block }) => block),
    ]),
    [
      ['3', '1', '2', ['2']],
      ['9', '2', '5', ['3', '5']],
    ],
  )
})

test('where no logs are served, what was made outside batches is news without its transactions', async () => {
  const s = await watchScripted(db, { refuses: ['eth_getLogs'] })
  await s.block()
  await s.block({ outsideMicro: 3n })
  assert.deepEqual(
    (await s.rows()).map(({ amount, transactions }) => [amount, transactions]),
    [['3', []]],
  )
})

test('what was there at the first look is no news, nor is it where a reorganisation has made it anew', async () => {
  const s = await watchScripted(db)
  s.chain.mine({ batches: [theirs(1n, mint(5n))], outsideMicro: 8n })
  await s.block({ batches: [theirs(2n, mint(6n))] })
  s.chain.reorganise(1)
  await s.block()
  await s.block({ batches: [theirs(2n, mint(6n))] })
  assert.deepEqual(await s.movements(), [])
  await s.block({ batches: [theirs(3n, mint(1n))] })
  assert.deepEqual(await s.movements(), ['batch 4'])
})

for (const [what, blocks] of [
  ['lower than the one before', 1],
  ['as high', 2],
  ['so much higher that the blocks which were undone would be final', 9],
] as const) {
  test(`a reorganisation to a head that is ${what}, with one batch of ours in the place of another, is no news`, async () => {
    const s = await watchScripted(db)
    const [first, second] = [batch(1n, mint(5n)), batch(1n, mint(7n), mint(1n))]
    for (const each of [first, second]) await s.sign(each)
    for (let block = 0; block < DEPTH; block += 1) await s.block()
    await s.block({ batches: [first] })
    await s.block()
    s.chain.reorganise(2)
    for (let block = 1; block < blocks; block += 1) s.chain.mine()
    await s.block({ batches: [second] })
    for (let block = 0; block < 2 * DEPTH; block += 1) await s.block()
    assert.deepEqual([await s.movements(), s.logged], [[], []])
  })

  test(`what nobody asked for on such a branch, ${what}, is news`, async () => {
    const s = await watchScripted(db)
    for (let block = 0; block < DEPTH + 2; block += 1) await s.block()
    s.chain.reorganise(2)
    for (let block = 1; block < blocks; block += 1) s.chain.mine()
    await s.block({ outsideMicro: 3n })
    assert.deepEqual(
      (await s.rows()).map(({ amount, after: from, seen }) => [amount, from, seen]),
      [['3', '3', String(DEPTH + blocks)]],
    )
  })
}

test('a reorganisation to a branch of the same length is seen as one', async () => {
  const s = await watchScripted(db)
  const ours = batch(1n, mint(5n))
  await s.sign(ours)
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  await s.block({ batches: [ours] })
  s.chain.reorganise(1)
  await s.block({ outsideMicro: 3n })
  assert.deepEqual(
    (await s.rows()).map(({ amount, seen }) => [amount, seen]),
    [['3', '5']],
  )
  await s.block({ batches: [ours] })
  await s.block({ outsideMicro: 1n })
  assert.deepEqual(await s.movements(), ['supply 5', 'supply 7'])
})

test('from the first look on, before any is final, nothing is missed', async () => {
  const s = await watchScripted(db)
  await s.block()
  await s.block({ outsideMicro: 3n })
  assert.deepEqual(await s.movements(), ['supply 2'])
})

test('a chain that has lost batches which were final is looked at as for the first time', async () => {
  const s = await watchScripted(db)
  const ours = batch(1n, mint(5n))
  await s.sign(ours)
  await s.block()
  await s.block({ batches: [ours] })
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  s.chain.reorganise(DEPTH + 1)
  for (let block = 0; block < DEPTH + 1; block += 1) s.chain.mine()
  await s.look()
  assert.deepEqual(await s.movements(), [])
  await s.block({ outsideMicro: 2n })
  assert.deepEqual(await s.movements(), ['supply 7'])
})

test('nobody asks nodes for a block that heads tell of, and of blocks not looked at only for the last that was', async () => {
  const s = await watchScripted(db)
  const blocksAsked = () =>
    s.chain.asked.filter(([method]) => method === 'eth_getBlockByNumber').map(([, first]) => first)
  for (let block = 0; block < DEPTH; block += 1) await s.block()
  await s.look()
  assert.deepEqual(blocksAsked(), [])
  s.chain.mine()
  await s.block()
  assert.deepEqual(blocksAsked(), ['0x4'])
  assert.equal(s.memory.looks.at(0)?.block, 3n)
  assert.equal(s.memory.looks.at(-2)?.block, 4n, 'of the same branch nothing is forgotten')
  s.chain.reorganise(1)
  await s.block()
  assert.deepEqual(blocksAsked(), ['0x4'])
})

test('a head below the last look is no branch that follows it', async () => {
  const s = await watchScripted(db)
  for (let block = 0; block < 2 * DEPTH; block += 1) await s.block()
  await s.look(1)
  assert.deepEqual(
    s.memory.looks.filter(({ block }) => block > 7n),
    [],
  )
})

test('a batch of others whose transaction no node has is news once, and what coin it made is compared when one has it', async () => {
  const s = await watchScripted(db, { refuses: ['eth_getTransactionReceipt'] })
  await s.block()
  await s.block({ batches: [theirs(1n, mint(5n))] })
  await s.block({ outsideMicro: 2n })
  const [row, ...more] = await s.rows()
  assert.deepEqual(more, [])
  assert.deepEqual(
    [row?.details, row?.transactions],
    ['batch 1 was made by somebody, with 0 instructions that moved coin', []],
  )
  assert.deepEqual([s.logged.length, s.counted.length], [1, 1], 'what is recorded already is not told again')
  s.refuses.length = 0
  await s.block()
  assert.deepEqual(await s.movements(), ['batch 2', 'supply 4'])
  assert.deepEqual((await s.rows())[1]?.amount, '2')
})

test('a batch whose transaction has other instructions than the contract recorded is not believed to be that transaction', async () => {
  const s = await watchScripted(db)
  await s.block()
  s.chain.swapTransactionOf(1n, theirs(1n, mint(1n)))
  await s.block({ batches: [theirs(1n, mint(5n))] })
  assert.match((await s.rows())[0]?.details ?? '', /by somebody/)
})

test('while heads stay behind nothing is asked', async () => {
  const s = await watchScripted(db)
  s.work.memory.follow.behindSinceMs = 1
  await s.block()
  assert.deepEqual(s.chain.asked, [])
})

test('that nodes do not tell what is watched is warned of once, and not of one head alone', async () => {
  const s = await watchScripted(db)
  const warned = () => s.logged.filter(({ level }) => level === 'warn').map(({ text }) => text)
  await s.block()
  for (let times = 1; times <= 2; times += 1) {
    s.refuses.push('eth_call')
    await s.block()
    assert.equal(warned().length, times - 1)
    for (let heads = 0; heads < 3; heads += 1) await s.block()
    assert.equal(warned().length, times)
    s.refuses.length = 0
    await s.block()
  }
  assert.match(warned()[0] ?? '', /the chain is not watched/)
})

test('what goes wrong while watching never fails a round, but for a lost lease; powers are looked at all the same', async () => {
  const s = await watchScripted(db)
  await s.block()
  s.refuses.push('eth_call')
  await s.block()
  assert.deepEqual(
    s.logged.map(({ level, fields }) => [level, fields.chainId, fields.err instanceof Error]),
    [['debug', s.chainId, true]],
  )
  s.logged.length = 0
  s.refuses.length = 0
  const query = s.work.db.query
  s.work.db = { ...s.work.db, query: () => Promise.reject(new Error('no connection')) }
  await s.block({ batches: [theirs(1n, mint(5n))], powers: { limits: [10n] } })
  await s.block()
  await s.block()
  assert.deepEqual(
    s.logged.map(({ level }) => level),
    ['error', 'error', 'error', 'fatal'],
  )
  assert.deepEqual(await s.movements(), ['limit 5'])
  s.work.db = { ...s.work.db, query }
  await releaseLease(db, s.work.lease)
  await assert.rejects(s.block(), LeaseLostError)
})
