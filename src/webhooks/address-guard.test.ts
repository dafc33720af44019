import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { isLoopbackAddress, isPublicAddress, mayConnect } from './address-guard.ts'

const INTERNAL = {
  'this network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '10.255.255.255', '172.16.0.1', '172.31.255.255', '192.168.0.1', '192.168.255.255'],
  'link-local': ['169.254.0.1', '169.254.169.254', 'fe80::1', 'febf::1', 'fe80::1%eth0'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'protocol assignments': ['192.0.0.1', '192.0.0.170', '2001:1::1', '2001:1ff::1'],
  documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
  benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
  '6to4 relays': ['192.88.99.1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', 'ff0e::1'],
  reserved: ['240.0.0.1', '255.255.255.254'],
  broadcast: ['255.255.255.255'],
  'unique local': ['fc00::1', 'fd00:ec2::254', 'fdff::1'],
  'site-local': ['fec0::1', 'feff::1'],
  mapped: ['::ffff:127.0.0.1', '::ffff:10.0.0.1', '::ffff:8.8.8.8', '::ffff:7f00:1', '::ffff:0:127.0.0.1'],
  compatible: ['::127.0.0.1', '::8.8.8.8', '::7f00:1'],
  NAT64: ['64:ff9b::127.0.0.1', '64:ff9b::8.8.8.8', '64:ff9b:1::10.0.0.1', '64:ff9b:1:ffff::1'],
  '6to4': ['2002:7f00:1::', '2002:a00:1::1', '2002:808:808::1'],
  Teredo: ['2001::1', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ISATAP: ['2606:4700::5efe:10.0.0.1', '2606:4700::200:5efe:a00:1'],
  'discard, ORCHID, SRv6 and unassigned': ['100::1', '2001:10::1', '2001:20::1', '5f00::1', '4000::1', 'e000::1'],
  'no address': [
    '',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '8.8.8',
    '1.2.3.4.5',
    '[::1]',
    '8.8.8.8 ',
    '2606:4700::1111%eth0',
  ],
}

for (const [kind, addresses] of Object.entries(INTERNAL)) {
  test(`refuses ${kind}`, () => {
    for (const address of addresses) {
      assert.equal(isPublicAddress(address), false, address)
      assert.equal(mayConnect(address, 'https:', false), false, address)
      assert.equal(mayConnect(address, 'http:', false), false, address)
    }
  })
}

test('permits public addresses over https only', () => {
  for (const address of [
    '1.1.1.1',
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.128.0.1',
    '2606:4700::1111',
    '2a00:1450::1',
    '3800::1',
  ]) {
    assert.equal(mayConnect(address, 'https:', false), true, address)
    assert.equal(mayConnect(address, 'http:', false), false, address)
    assert.equal(mayConnect(address, 'http:', true), false, address)
  }
})

test('permits loopback, in plain notation, only where it is allowed', () => {
  for (const address of ['127.0.0.1', '127.8.8.8', '::1', '0:0:0:0:0:0:0:1']) {
    assert.equal(mayConnect(address, 'http:', true), true, address)
    assert.equal(mayConnect(address, 'https:', true), true, address)
  }
  for (const address of ['::ffff:127.0.0.1', '127.1', '0x7f.1', '::1%lo', '0.0.0.0', '10.0.0.1', 'localhost', '']) {
    assert.equal(isLoopbackAddress(address), false, address)
    assert.equal(mayConnect(address, 'http:', true), false, address)
  }
})

test('an IPv4 address inside an IPv6 address never makes it public', () => {
  const hex = (high: number, low: number) => ((high << 8) | low).toString(16)
  fc.assert(
    fc.property(fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)), ([a, b, c, d]) => {
      const [upper, lower] = [hex(a, b), hex(c, d)]
      for (const form of [
        `::ffff:${upper}:${lower}`,
        `::${upper}:${lower}`,
        `64:ff9b::${upper}:${lower}`,
        `2002:${upper}:${lower}::1`,
      ]) {
        assert.equal(isPublicAddress(form), false, form)
      }
    }),
  )
})
