import assert from 'node:assert/strict'
import { subscribe } from 'node:diagnostics_channel'
import { after, before, beforeEach, test } from 'node:test'
import { createSender } from '../../src/webhooks/send.ts'
import { generateWebhookSecret, SIGNATURE_HEADER } from '../../src/webhooks/signature.ts'
import { testRequest } from '../../src/webhooks/test-event.ts'
import { type DnsServer, startDnsServer } from './dns-server.ts'
import { type Received, type Receiver, startReceiver } from './http-receiver.ts'

/** Ways to spell addresses that no webhook may reach, as hosts of URLs. */
const LITERALS = `
  127.0.0.1 127.0.0.2 127.1 127.0.1 127.255.255.254 2130706433 0x7f000001 0x7f.1 0x7f.0x0.0x0.0x1 0177.0.0.1 017700000001
  0177.0x0.1 127.0.0.1. ①②⑦.⓪.⓪.① localhost LOCALHOST localhost. foo.localhost
  0 0.0.0.0 0x0 00 0.0 0.1.2.3 10.0.0.1 10.255.255.255 167772161 0x0a000001 012.0.0.1 172.16.0.1 172.31.255.255 2886729729
  192.168.0.1 192.168.1.254 3232235521 0xc0a80001 169.254.169.254 169.254.170.2 2852039166 0xa9fea9fe 0251.0376.0251.0376
  100.64.0.1 100.100.100.200 100.127.255.255 192.0.0.1 192.0.0.192 192.0.2.1 198.51.100.1 203.0.113.1 198.18.0.1 198.19.255.255
  192.88.99.1 192.31.196.1 192.52.193.1 192.175.48.1 224.0.0.1 239.255.255.250 240.0.0.1 255.255.255.255 4294967295
  [::] [::1] [0:0:0:0:0:0:0:1] [::127.0.0.1] [::7f00:1] [::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:10.0.0.1] [::ffff:169.254.169.254]
  [::ffff:8.8.8.8] [::ffff:0:127.0.0.1] [0:0:0:0:0:ffff:127.0.0.1] [64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::10.0.0.1]
  [64:ff9b:1:ffff::1] [2002:7f00:1::] [2002:a9fe:a9fe::1] [2002:c0a8:1::1] [2001::1] [2001:0:4136:e378:8000:63bf:3fff:fdd2]
  [fe80::1] [febf::1] [fec0::1] [feff::1] [fc00::1] [fd00::1] [fd00:ec2::254] [fdff:ffff::1] [ff02::1] [ff05::1:3] [ff0e::1]
  [2001:db8::1] [3fff::1] [2001:2::1] [2001:10::1] [2001:20::1] [100::1] [5f00::1] [4000::1] [2606:4700::5efe:10.0.0.1]
`
  .trim()
  .split(/\s+/)

/** What names resolve to; the last ones mix a public address with an internal one. */
const RESOLVED = [
  ...'127.0.0.1 0.0.0.0 10.0.0.1 172.16.0.1 192.168.0.1 169.254.169.254 100.64.0.1 192.0.0.1 198.18.0.1 224.0.0.1 255.255.255.255'.split(
    ' ',
  ),
  ...'::1 :: ::ffff:127.0.0.1 ::ffff:169.254.169.254 64:ff9b::7f00:1 2002:7f00:1:: 2001::1 fe80::1 fec0::1 fd00::1 ff02::1 ::7f00:1'.split(
    ' ',
  ),
].map((address) => [address])
const MIXED = [
  ['8.8.8.8', '127.0.0.1'],
  ['8.8.8.8', '10.0.0.1'],
  ['8.8.8.8', '::1'],
  ['2606:4700::1111', '169.254.169.254'],
  ['8.8.8.8', '8.8.4.4', 'fd00::1'],
]

let sockets = 0
/** Node reports every TCP socket that this process opens, wherever it leads. What comes to the listeners may be another process', which looks for a free port. */
subscribe('net.client.socket', () => {
  sockets += 1
})

let dns: DnsServer
let loopback: Receiver
let loopback6: Receiver | undefined
const names = new Map([...RESOLVED, ...MIXED].map((addresses, index) => [`n${index}.hostile.test`, addresses]))

before(async () => {
  dns = await startDnsServer((name) => names.get(name) ?? [])
  loopback = await startReceiver()
  loopback6 = await startReceiver(undefined, { host: '::1', port: loopback.port }).catch(() => undefined)
})
after(async () => {
  dns.close()
  await loopback.close()
  await loopback6?.close()
})
beforeEach(() => {
  sockets = 0
})

async function errorOf(url: string, allowLoopback: boolean): Promise<string | null> {
  const send = createSender({ allowLoopback, dnsServers: [dns.address] })
  return (await send(testRequest(url, generateWebhookSecret(), new Date()).request)).error
}

function assertNothingContacted(): void {
  assert.equal(sockets, 0)
  assert.deepEqual([...loopback.received, ...(loopback6?.received ?? [])].filter(isWebhook), [])
}

const isWebhook = ({ headers }: Received) => SIGNATURE_HEADER.toLowerCase() in headers

test('more than a hundred hostile hosts, none contacted', async () => {
  assert.ok(LITERALS.length > 100, String(LITERALS.length))
  for (const host of LITERALS) {
    for (const scheme of ['https', 'http']) {
      assert.equal(
        await errorOf(`${scheme}://${host}:${loopback.port}/`, false),
        'address_refused',
        `${scheme} ${host}`,
      )
    }
  }
  assertNothingContacted()
})

test('where loopback is allowed, it is the only exception', async () => {
  const isLoopback = (url: URL) => /^(127\.|\[::1\]$|(.+\.)?localhost\.?$)/.test(url.hostname)
  const others = LITERALS.map((host) => new URL(`https://${host}:${loopback.port}/`)).filter((url) => !isLoopback(url))
  assert.ok(others.length > 80)
  for (const url of others) assert.equal(await errorOf(url.href, true), 'address_refused', url.href)
  assert.equal(await errorOf('http://8.8.8.8/', true), 'address_refused')
  assertNothingContacted()
})

test('names that resolve to internal addresses, alone or among public ones, are not contacted', async () => {
  for (const [name, addresses] of names) {
    assert.equal(await errorOf(`https://${name}:${loopback.port}/`, false), 'address_refused', addresses.join(' '))
  }
  assertNothingContacted()
  assert.ok(names.size > 20 && dns.questions.length >= names.size)
})

test('a name that does not resolve is a failure of its own', async () => {
  assert.match((await errorOf('https://nowhere.test/', false)) ?? '', /^dns_failed: (ENODATA|ENOTFOUND)$/)
})

test('the counters work: the same listener is reached where loopback is allowed', async () => {
  assert.equal(await errorOf(loopback.url, true), null)
  assert.equal(sockets, 1)
  assert.equal(loopback.received.filter(isWebhook).length, 1)
})
