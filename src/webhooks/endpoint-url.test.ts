import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkEndpointUrl } from './endpoint-url.ts'

const strict = { allowLoopback: false }
const sandbox = { allowLoopback: true }

test('takes https to a public host, any port, and stores it normalised', () => {
  for (const [given, stored] of [
    ['https://partner.example/hooks', 'https://partner.example/hooks'],
    ['https://Partner.EXAMPLE', 'https://partner.example/'],
    ['https://partner.example:8443/a?b=c', 'https://partner.example:8443/a?b=c'],
    ['https://8.8.8.8/hooks', 'https://8.8.8.8/hooks'],
    ['https://[2606:4700::1111]/hooks', 'https://[2606:4700::1111]/hooks'],
    ['https://münchen.example/', 'https://xn--mnchen-3ya.example/'],
  ] as const) {
    assert.deepEqual(checkEndpointUrl(given, strict), { ok: true, url: stored })
  }
})

test('refuses everything else', () => {
  for (const url of [
    '',
    'partner.example/hooks',
    'http://partner.example/',
    'ftp://partner.example/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'https://',
    'https://user@partner.example/',
    'https://user:password@partner.example/',
    'https://:password@partner.example/',
    'https://partner.example/#part',
    'https://partner.example/#',
    'https://partner.example:0/',
    'https://partner.example:65536/',
    `https://partner.example/${'x'.repeat(2000)}`,
    `https://partner.example/${'ü'.repeat(1000)}`,
    'https://localhost/',
    'https://LOCALHOST./',
    'https://api.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f000001/',
    'https://0177.0.0.1/',
    'https://127.0.0.1./',
    'https://①②⑦.0.0.1/',
    'https://10.0.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://0/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:8.8.8.8]/',
    'https://[fd00:ec2::254]/',
    'https://[64:ff9b::a00:1]/',
  ]) {
    assert.equal(checkEndpointUrl(url, strict).ok, false, url)
  }
})

test('takes http to this machine where it is allowed, and to nothing else', () => {
  for (const url of [
    'http://127.0.0.1:3000/',
    'http://localhost:3000/',
    'http://[::1]:3000/',
    'https://localhost:3000/',
  ]) {
    assert.equal(checkEndpointUrl(url, sandbox).ok, true, url)
    assert.equal(checkEndpointUrl(url, strict).ok, false, url)
  }
  for (const url of [
    'http://partner.example/',
    'http://10.0.0.1/',
    'http://8.8.8.8/',
    'http://[::ffff:127.0.0.1]/',
    'http://0.0.0.0/',
  ]) {
    assert.equal(checkEndpointUrl(url, sandbox).ok, false, url)
  }
})
