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

test('there is a bound: keys beyond it are not noted, those noted are kept up', async () => {
  const written: KeyUse[] = []
  const uses = createKeyUses({ logger, record: async (batch) => void written.push(...batch) })
  for (let n = 0; n <= 10_000; n += 1) uses.note(String(n), '192.0.2.1', 1_000)
  uses.note('0', '192.0.2.2', 2_000)
  await uses.stop()
  assert.equal(written.length, 10_000)
  assert.equal(written[0]?.address, '192.0.2.2')
})
