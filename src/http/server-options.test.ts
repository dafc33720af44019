import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { routableUrl } from './server-options.ts'

test('a path that decodes is left as it is', () => {
  for (const url of ['/v1/health', '/v1/mints/a%2Db?x=%ZZ', '/v1/%E2%82%AC', '*', '/?%']) {
    assert.equal(routableUrl({ url }), url)
  }
})

test('in a path that does not decode, percent signs stand for themselves', () => {
  assert.equal(routableUrl({ url: '/v1/mints/%ZZ%20?x=%20' }), '/v1/mints/%25ZZ%2520?x=%20')
})

test('what is no URL is a path, so that the router answers nothing by itself', () => {
  for (const url of [
    'http://',
    'https:///v1/health',
    'http://?',
    'HTTP://x:99999/',
    'http://x/#y',
    'x#y',
    'http://[/',
    'http://a%41/%ZZ',
  ]) {
    assert.match(routableUrl({ url }), /^\//)
  }
  for (const url of ['http://x', 'https://x:1/v1/health?y=http://', 'ftp://x/', '*'])
    assert.equal(routableUrl({ url }), url)
})

test('whatever comes in, the path that goes out can be decoded', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('%', 'F', '0', 'g', '/', '?') }), (url) => {
      const [path = ''] = routableUrl({ url }).split('?')
      decodeURIComponent(path)
    }),
  )
})
