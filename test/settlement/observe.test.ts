// engine: postgres; both in test:long
/** What following the chain records, block by block, with scripted nodes: when it looks, at what, and what becomes of it. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { observe } from '../../src/settlement/follow/observe.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { transactionOf } from './scripted-chain.ts'
import { batch, DEPTH, GRACE_MS, SIGNER, startFollower, THIEF } from './scripted-follower.ts'

let db: TestDatabase
before(async () => {
  db = await createTestDatabase()
})
after(() => db.close())

const begin = () => startFollower(db)

const NOTHING_ENDS = { dead: [], foreign: [] }
const endsOf = ({ dead, foreign }: Awaited<ReturnType<typeof observe>>) => ({ dead, foreign })

test('a batch is mined with its block, which is observed with it, and final at full depth, with nobody looking in between', async () => {
  const s = await begin()
  await s.store(batch(1n))
  assert.deepEqual(endsOf(await s.block()), NOTHING_ENDS)
  assert.deepEqual(await s.state(), ['1:signed', 'observed 1'])
  await s.block({ batches: [batch(1n)] })
  assert.deepEqual(await s.state(), ['1:mined@2', 'observed 2'])
  assert.deepEqual(s.steps, ['chain-looked-at', 'mined-recorded'])
  assert.equal(s.memory.view?.nonces[SIGNER], 1n)
  await s.block()
  assert.equal(s.asked('eth_call'), 0, 'what is mined is not looked at again before it is deep')
  assert.deepEqual(await s.state(), ['1:mined@2', 'observed 3'])
  await s.block()
  assert.deepEqual(await s.state(), ['1:final@2', 'observed 4'])
  assert.deepEqual(s.toldOf('finalized'), [1])
  assert.deepEqual(s.logged, [['info', 'batch final']])
})

test('a head that is recorded is not looked at again, unless something else below it is final', async () => {
  const s = await begin()
  await s.block()
  await s.look()
  assert.deepEqual([s.chain.asked, s.steps], [[], []])
  s.memory.recordedFinal = -9n
  await s.look()
  assert.deepEqual(s.steps, ['chain-looked-at'], 'and nothing is written, because nothing changed')
  s.memory.recordedHash = 'of another head'
  await s.look()
  assert.deepEqual(s.steps, ['chain-looked-at'])
})

test('onwards is what follows the observed block, with nobody asked, or has it below', async () => {
  const s = await begin()
  await s.store(batch(1n))
  await s.block({ batches: [batch(1n)] })
  assert.equal(s.asked('eth_getBlockByNumber'), 0, 'nothing was observed before')
  await s.block()
  assert.equal(s.asked('eth_getBlockByNumber'), 0)
  s.chain.mine()
  s.chain.mine()
  await s.look(1)
  await s.block()
  s.chain.mine()
  await s.block()
  assert.deepEqual(
    s.logged.filter(([level]) => level === 'warn'),
    [],
  )
  assert.equal(s.asked('eth_getBlockByNumber') > 0, true)
})

for (const [what, blocks] of [
  ['as high as the one before', 1],
  ['higher by one', 2],
  ['higher by two', 3],
] as const) {
  test(`a reorganisation to a head that is ${what} takes back what it does not have, and finds what moved`, async () => {
    const s = await begin()
    await s.store(batch(1n), batch(2n))
    await s.block()
    await s.block({ batches: [batch(1n)] })
    await s.block({ batches: [batch(2n)] })
    assert.deepEqual(await s.state(), ['1:mined@2', '2:mined@3', 'observed 3'])
    s.chain.reorganise(2)
    s.chain.mine()
    for (let block = 1; block < blocks; block += 1) s.chain.mine()
    await s.block({ batches: [batch(1n)] })
    assert.deepEqual(await s.state(), [`1:mined@${2 + blocks}`, '2:signed', `observed ${2 + blocks}`])
    assert.deepEqual(s.toldOf('reorganised').length, 1)
    assert.deepEqual(s.logged, [['warn', 'the chain was reorganised']])
  })
}

test('a head below what was observed counts only when it stays so for long', async () => {
  const s = await begin()
  await s.store(batch(1n))
  await s.block()
  await s.block()
  await s.block({ batches: [batch(1n)] })
  s.chain.reorganise(2)
  assert.deepEqual(endsOf(await s.look()), NOTHING_ENDS)
  assert.deepEqual([s.steps, s.toldOf('headLag').at(-1), s.memory.behindSinceMs], [[], 2, 1_000])
  s.clock.nowMs += GRACE_MS - 1
  await s.look()
  assert.deepEqual([s.steps, s.memory.behindSinceMs, s.logged], [[], 1_000, []])
  assert.deepEqual(await s.state(), ['1:mined@3', 'observed 3'])
  s.clock.nowMs += 1
  await s.look()
  assert.deepEqual(await s.state(), ['1:signed', 'observed 1'])
  assert.deepEqual(
    s.logged.map(([level]) => level),
    ['error', 'warn'],
  )
  // Nodes that stopped would be as short: it is told until the chain is as long as it was.
  const lagAfter = async (looked: Promise<unknown>) => {
    await looked
    return [s.toldOf('headLag').at(-1), s.memory.behindSinceMs]
  }
  assert.deepEqual(await lagAfter(s.look()), [2, undefined])
  assert.deepEqual(await lagAfter(s.block()), [1, undefined])
  assert.deepEqual(await lagAfter(s.block()), [0, undefined])
  assert.deepEqual(await lagAfter(s.block()), [0, undefined])
})

test('nodes that lagged and are back at the recorded head lag no longer', async () => {
  const s = await begin()
  await s.block()
  await s.block()
  await s.look(1)
  assert.equal(s.memory.behindSinceMs, 1_000)
  await s.look()
  assert.equal(s.memory.behindSinceMs, undefined)
  s.clock.nowMs += GRACE_MS
  await s.look(1)
  assert.equal(s.memory.behindSinceMs, 1_000 + GRACE_MS, 'each time has its own grace')
})

test('a batch whose transaction cannot be found holds the observed block back, until another batch is recorded', async () => {
  const s = await begin()
  await s.store(batch(1n), batch(2n))
  await s.block()
  s.refuses.push('eth_getTransactionReceipt')
  s.chain.hide(transactionOf(batch(1n)))
  s.refuses.length = 0
  await s.block({ batches: [batch(1n)] })
  assert.deepEqual(await s.state(), ['1:signed', '2:signed', 'observed 1'])
  assert.equal(s.memory.recordedHash, undefined, 'the same head is looked at again')
  assert.match(s.logged[0]?.[1] ?? '', /transaction cannot be found yet/)
  await s.block({ batches: [batch(2n)] })
  assert.deepEqual(await s.state(), ['1:signed', '2:mined@3', 'observed 3'])
  s.chain.show()
  await s.look()
  assert.deepEqual(await s.state(), ['1:mined@2', '2:mined@3', 'observed 3'])
  assert.notEqual(s.memory.recordedHash, undefined)
})

test('other instructions under the id of a batch are told of, and looked for again at the same head', async () => {
  const s = await begin()
  await s.store(batch(1n))
  await s.block()
  assert.equal(s.memory.hasForeignBatch, false)
  const { foreign } = await s.block({ batches: [{ ...batch(1n, 9n), sender: THIEF }], others: [SIGNER] })
  assert.deepEqual(
    foreign.map(({ batchId }) => batchId),
    [1n],
  )
  assert.deepEqual([s.memory.hasForeignBatch, s.memory.recordedHash], [true, undefined])
  s.chain.reorganise(1)
  await s.block()
  assert.equal(s.memory.hasForeignBatch, false)
})

test('a nonce that was used for something else at full depth ends a batch', async () => {
  const s = await begin()
  await s.store(batch(1n))
  await s.block({ others: [SIGNER] })
  for (let block = 2; block < DEPTH; block += 1) assert.deepEqual((await s.block()).dead, [])
  const { dead } = await s.block()
  assert.deepEqual(
    dead.map(({ batch: { batchId }, byUs }) => [batchId, byUs]),
    [[1n, false]],
  )
  assert.equal(s.memory.recordedHash, undefined)
})

test('signers that had a batch before are asked for too', async () => {
  const s = await begin()
  await s.store(batch(1n))
  await db.query('update batch_attempts set signer = $2 where chain_id = $1', [s.chainId, THIEF])
  await s.block()
  assert.deepEqual(Object.keys(s.memory.view?.nonces ?? {}).sort(), [SIGNER, THIEF].sort())
})
