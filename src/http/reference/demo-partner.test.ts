/** Who may see the sandbox's key: pages of this machine that ask this machine, and nobody else. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asksOnThisMachine } from './demo-partner.ts'

const asked = (remoteAddress: string | undefined, headers: Record<string, string>) =>
  asksOnThisMachine({ raw: { socket: { remoteAddress } }, headers } as Parameters<typeof asksOnThisMachine>[0])

/** What a browser sends for a page that it has from `host`. */
const page = (host: string) => ({ host, 'sec-fetch-site': 'same-origin', referer: `http://${host}/docs/mints` })

test('from this machine, under its own names', () => {
  for (const host of ['127.0.0.1:4000', 'localhost:4000', '[::1]:4000', '127.0.0.2']) {
    for (const address of ['127.0.0.1', '::1', '::ffff:127.0.0.1'])
      assert.equal(asked(address, page(host)), true, `${address} ${host}`)
  }
})

test('from elsewhere, under a name that points here, or for a page of another site', () => {
  const host = 'localhost:4000'
  for (const address of ['192.168.1.7', '10.0.0.1', '::ffff:192.168.1.7', '172.17.0.1', '127.0.0.1.example', undefined])
    assert.equal(asked(address, page(host)), false, String(address))
  for (const name of [
    'evil.example:4000',
    '127.0.0.1.evil.example',
    'localhost.evil.example',
    '192.168.1.7',
    '',
    'a b',
    '0x7f.evil',
  ])
    assert.equal(asked('127.0.0.1', page(name)), false, name)
  assert.equal(asked('127.0.0.1', {}), false)
  for (const site of ['cross-site', 'same-site', 'none'])
    assert.equal(asked('127.0.0.1', { ...page(host), 'sec-fetch-site': site }), false, site)
  assert.equal(asked('127.0.0.1', { host }), false, 'no page')
  const { 'sec-fetch-site': _, ...old } = page(host)
  assert.equal(asked('127.0.0.1', old), true, 'a browser from before that header')
})

test('through a proxy on this machine, whatever it adds, and also when it adds nothing and says that it asks for localhost', () => {
  const host = 'localhost:4000'
  for (const name of [
    'x-forwarded-for',
    'x-forwarded-proto',
    'x-forwarded-host',
    'forwarded',
    'via',
    'x-real-ip',
    'cf-ray',
  ])
    assert.equal(asked('127.0.0.1', { ...page(host), [name]: 'x' }), false, name)
  for (const referer of ['https://sandbox.example/docs/mints', 'http://localhost:8080/docs/mints', 'nonsense', ''])
    assert.equal(asked('127.0.0.1', { ...page(host), referer }), false, referer)
  const { referer: _, ...without } = page(host)
  assert.equal(asked('127.0.0.1', without), false)
})
