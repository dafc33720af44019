import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { namesOneHost, timesSent, withoutPorts } from './odd-headers.ts'

test('one Host, however it is written, and none only before HTTP/1.1', () => {
  const cases: [rawHeaders: string[], httpVersion: string, fine: boolean][] = [
    [['Host', 'a'], '1.1', true],
    [['hOsT', 'a', 'X-Host', 'b', 'Hose', 'host'], '1.1', true],
    [['Host', 'a', 'host', 'a'], '1.1', false],
    [['Host', 'a', 'Host', 'b'], '1.0', false],
    [[], '1.1', false],
    [['X', 'Host'], '1.1', false],
    [[], '1.0', true],
  ]
  for (const [rawHeaders, httpVersion, fine] of cases) {
    const headers = { host: 'a' }
    assert.equal(namesOneHost({ rawHeaders, headers, httpVersion }), fine, rawHeaders.join())
  }
})

test('a Host is what can be one', () => {
  const isHost = (host: string) => namesOneHost({ rawHeaders: ['Host', host], headers: { host }, httpVersion: '1.1' })
  const hosts = [
    'a',
    'a:',
    'a:80',
    'api.example.com:443',
    '127.0.0.1:8080',
    '[::1]',
    '[fe80::1%25en0]:80',
    '[v1.a]',
    '',
    'a_b',
    'x%2Dy',
    "a!$&'()*+,;=~",
  ]
  for (const host of hosts) assert.ok(isHost(host), host)
  const others = [
    'a b',
    'a/b',
    'a@b',
    'a:b',
    'a:80:80',
    'a?b',
    'a#b',
    'http://a',
    'a\\b',
    '[::1',
    '::1',
    '[]',
    '[::1]a',
    'a%2',
    'a"',
    'a<b>',
    'h\u00e9',
  ]
  for (const host of others) assert.ok(!isHost(host), host)
})

test('a header is counted by its whole name, however it is written, and not by its value', () => {
  const rawHeaders = ['Authorization', 'a', 'AUTHORIZATION', 'b', 'X-Authorization', 'c', 'D', 'authorization']
  assert.equal(timesSent({ rawHeaders }, 'authorization'), 2)
  assert.equal(timesSent({ rawHeaders }, 'd'), 1)
  assert.equal(timesSent({ rawHeaders }, 'content-type'), 0)
})

test('ports and brackets around addresses are removed; everything else stays', () => {
  const cases: [written: string, read: string][] = [
    ['203.0.113.9:4711', '203.0.113.9'],
    ['203.0.113.9', '203.0.113.9'],
    ['[2001:db8::1]:443,10.0.0.1:80', '2001:db8::1, 10.0.0.1'],
    ['[2001:DB8::1]', '2001:DB8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['unknown, _hidden:1', 'unknown, _hidden:1'],
    ['203.0.113.9:port', '203.0.113.9:port'],
    ['', ''],
  ]
  for (const [written, read] of cases) assert.equal(withoutPorts(written), read)
})

test('an address is the same with a port and without one', () => {
  fc.assert(
    fc.property(fc.ipV4(), fc.ipV6(), fc.integer({ min: 1, max: 65_535 }), (v4, v6, port) => {
      assert.equal(withoutPorts(`${v4}:${port},[${v6}]:${port}`), withoutPorts(`${v4},${v6}`))
    }),
  )
})
