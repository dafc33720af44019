import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAtOnce } from './at-once.ts'

test('so many are carried out at once, of one integration fewer, and each that ends makes room, however it ends', async () => {
  const atOnce = createAtOnce({ inAll: 3, each: 2 })
  const begin = (integrationId: string) => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    return { ended: atOnce(integrationId, () => promise), resolve, reject }
  }
  const refused = (integrationId: string) =>
    assert.rejects(begin(integrationId).ended, { name: 'ApiError', code: 'SERVICE_UNAVAILABLE' })
  const [one, two] = [begin('a'), begin('a')]
  await refused('a')
  const other = begin('b')
  await refused('b')
  await refused('c')
  one.resolve('done')
  assert.equal(await one.ended, 'done')
  two.reject(new Error('failed'))
  await assert.rejects(two.ended, /failed/)
  const again = [begin('a'), begin('c')]
  await refused('a')
  for (const { resolve, ended } of [other, ...again]) {
    resolve('done')
    await ended
  }
  assert.equal(await atOnce('a', () => Promise.resolve('free')), 'free')
})
