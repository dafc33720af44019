import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pino } from 'pino'
import type { KeyUse } from './key-uses.sql.ts'
import { createKeyUses } from './key-uses.ts'

const logger = pino({ level: 'silent' })

test('of each key the newest use is written down, once, and what was not written comes with the next', async () => {
  const written: KeyUse[][] = []
  let fails = true
  const uses = createKeyUses({
    logger,
    async record(batch) {
      if (fails) throw new Error('away')
      written.push([...batch])
    },
  })
  uses.note('a', '192.0.2.1', 1_000)
  uses.note('b', '192.0.2.2', 2_000)
  uses.note('a', '192.0.2.3', 3_000)
  await uses.stop()
  assert.deepEqual(written, [])
  fails = false
  await uses.stop()
  await uses.stop()
  assert.deepEqual(written, [
    [
      { keyId: 'a', address: '192.0.2.3', usedAt: new Date(3_000) },
      { keyId: 'b', address: '192.0.2.2', usedAt: new Date(2_000) },
    ],
  ])
})

test('a use that is noted while others are written is not forgotten', async () => {
  const written: string[] = []
  const uses = createKeyUses({
    logger,
    async record(batch) {
      if (written.length === 0) uses.note('a', '192.0.2.2', 2_000)
      written.push(...batch.map(({ address }) => address))
    },
  })
  uses.note('a', '192.0.2.1', 1_000)
  await uses.stop()
  await uses.stop()
  assert.deepEqual(written, ['192.0.2.1', '192.0.2.2'])
})

test('of a key that is used all the time, the instant is noted to the second', async () => {
  const written: KeyUse[] = []
  const uses = createKeyUses({ logger, record: async (batch) => void written.push(...batch) })
  const noted = async (...atMs: number[]) => {
    for (const ms of atMs) uses.note('a', '192.0.2.1', ms)
    await uses.stop()
    return written.at(-1)?.usedAt.getTime()
  }
  assert.equal(await noted(1_000, 1_500, 1_999), 1_000)
  assert.equal(await noted(2_000, 2_500, 3_000, 3_100), 3_000)
  assert.equal(await noted(5_000, 4_000), 4_000, 'by a clock that was put back')
})

test('there is a bound: keys beyond it are not noted, those noted are kept up', async () => {
  const written: KeyUse[] = []
  const uses = createKeyUses({ logger, record: async (batch) => void written.push(...batch) })
  for (let n = 0; n <= 10_000; n += 1) uses.note(String(n), '192.0.2.1', 1_000)
  uses.note('0', '192.0.2.2', 2_000)
  await uses.stop()
  assert.equal(written.length, 10_000)
  assert.equal(written[0]?.address, '192.0.2.2')
})
