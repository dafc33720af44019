import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { compileAllowlist, parseAllowlistEntry } from './ip-allowlist.ts'

const CASES: [entry: string, client: string, allowed: boolean][] = [
  ['203.0.113.7', '203.0.113.7', true],
  ['203.0.113.7', '203.0.113.8', false],
  ['203.0.113.7', '::ffff:203.0.113.7', true],
  ['203.0.113.7', '::ffff:cb00:7107', true],
  ['::ffff:203.0.113.7', '203.0.113.7', true],
  ['::ffff:203.0.113.0/120', '203.0.113.200', true],
  ['::ffff:203.0.113.0/120', '203.0.114.1', false],
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.1.2.3/8', '10.9.9.9', true],
  ['0.0.0.0/0', '198.51.100.1', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['::/0', '2001:db8::1', true],
  ['::/0', '198.51.100.1', false],
  ['2001:db8::/32', '2001:db8:ffff::1', true],
  ['2001:db8::/32', '2001:db9::1', false],
  ['2001:DB8:0:0::1', '2001:db8::1', true],
  ['fe80::1', 'fe80::1%eth0', true],
  ['127.0.0.1', '0177.0.0.1', false],
  ['127.0.0.1', '127.1', false],
  ['127.0.0.1', '2130706433', false],
  ['127.0.0.1', 'garbage', false],
  ['127.0.0.1', '', false],
  ['not an address', '127.0.0.1', false],
]

for (const [entry, client, allowed] of CASES) {
  test(`${entry} ${allowed ? 'allows' : 'refuses'} ${client || '(nothing)'}`, () => {
    assert.equal(compileAllowlist([entry])(client), allowed)
  })
}

test('an empty allowlist restricts nothing; one with only unreadable entries lets nobody in', () => {
  assert.equal(compileAllowlist([])('198.51.100.1'), true)
  assert.equal(compileAllowlist(['nonsense'])('198.51.100.1'), false)
})

test('entries are returned in canonical form, and what is not an entry is refused', () => {
  assert.equal(parseAllowlistEntry('10.1.2.3/8'), '10.0.0.0/8')
  assert.equal(parseAllowlistEntry('10.1.2.3'), '10.1.2.3')
  assert.equal(parseAllowlistEntry('10.1.2.3/32'), '10.1.2.3')
  assert.equal(parseAllowlistEntry('2001:DB8::1/32'), '2001:db8::/32')
  assert.equal(parseAllowlistEntry('::ffff:10.0.0.0/104'), '10.0.0.0/8')
  for (const entry of [
    '',
    '10.0.0',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/08',
    '10.0.0.0/-1',
    '::/129',
    '::ffff:1.2.3.4/95',
    'a.b.c.d',
  ]) {
    assert.equal(parseAllowlistEntry(entry), undefined, entry)
  }
})

test('a canonical entry allows exactly what the entry allows', () => {
  const ipv4 = fc.ipV4()
  fc.assert(
    fc.property(ipv4, fc.integer({ min: 0, max: 32 }), ipv4, (network, bits, client) => {
      const entry = `${network}/${bits}`
      const canonical = parseAllowlistEntry(entry) ?? ''
      assert.equal(compileAllowlist([entry])(client), compileAllowlist([canonical])(client))
    }),
  )
})
