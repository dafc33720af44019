import assert from 'node:assert/strict'
import { test } from 'node:test'
import { servedAt } from './document.ts'

test('the text of the document is made once for an address that is asked for again', () => {
  let made = 0
  const document = {
    get info() {
      made += 1
      return 'about'
    },
  }
  const textAt = servedAt(document)
  const texts = ['https://a', 'https://a', 'https://b', 'https://b', 'https://a'].map(textAt)
  const urls = texts.map((text) => JSON.parse(text).servers[0].url)
  assert.deepEqual(urls, ['https://a/v1', 'https://a/v1', 'https://b/v1', 'https://b/v1', 'https://a/v1'])
  assert.equal(JSON.parse(texts[0] ?? '').info, 'about')
  assert.equal(made, 3)
})
