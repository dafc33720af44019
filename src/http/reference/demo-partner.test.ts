/** Who may see the sandbox's key: pages of this machine that ask this machine, and nobody else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksOnThisMachine } from './demo-partner.ts'

const asked = (remoteAddress: string | undefined, headers: Record<string, string>) =>
  asksOnThisMachine({ raw: { socket: { remoteAddress } }, headers } as Parameters<typeof asksOnThisMachine>[0])

test('from this machine, under its own names', () => {
  for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000', '127.0.0.2']) {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      assert.equal(asked(address, { host }), true, `${address} ${host}`)
    assert.equal(asked('127.0.0.1', { host, 'sec-fetch-site': 'same-origin' }), true)
  }
})

test('from elsewhere, through a proxy, under a name that points here, or for a page of another site', () => {
  const host = 'localhost:4000'
  for (const address of ['192.168.1.7', '10.0.0.1', '::ffff:192.168.1.7', '172.17.0.1', '127.0.0.1.example', undefined])
    assert.equal(asked(address, { host }), false, String(address))
  for (const name of [
    'evil.example:4000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.7',
    '',
    'a b',
    '0x7f.evil',
  ])
    assert.equal(asked('127.0.0.1', { host: name }), false, name)
  assert.equal(asked('127.0.0.1', {}), false)
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(asked('127.0.0.1', { host, 'sec-fetch-site': site }), false, site)
  assert.equal(asked('127.0.0.1', { host, 'x-forwarded-for': '8.8.8.8' }), false)
  assert.equal(asked('127.0.0.1', { host, forwarded: 'for=8.8.8.8' }), false)
})
