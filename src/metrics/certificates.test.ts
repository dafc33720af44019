/** How long certificates are good, and which files hold them. */
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { rootCertificates } from 'node:tls'
import { Registry } from 'prom-client'
import { temporaryFolder } from '../../test/support/temp.ts'
import { cert } from '../../test/webhooks/tls-identity.ts'
import { loadConfig } from '../config.ts'
import { showCertificates } from './certificates.ts'

test('the certificate of a file that ends first counts, also after it was renewed, and what cannot be read stays as it was', async () => {
  const folder = temporaryFolder('certificates')
  const [file, none, away] = ['ca.crt', 'none.crt', 'away.crt'].map((name) => path.join(folder, name))
  assert.ok(file && none && away)
  const [root = ''] = rootCertificates
  const registry = new Registry()
  showCertificates(registry, [away, none, file])
  const seconds = async () => {
    const shown = [...(await registry.metrics()).matchAll(/^certificate_valid_seconds\{file="(.+)"\} (.+)$/gm)]
    return shown.map(([, of, value]) => [of, Number(value)] as const)
  }
  const isGoodUntil = async (pem: string) => {
    const [[of, value = 0] = [], ...others] = await seconds()
    assert.deepEqual([of, others], [file, []])
    assert.ok(Math.abs(value - (new X509Certificate(pem).validToDate.getTime() - Date.now()) / 1_000) < 5)
  }
  writeFileSync(none, 'a key, perhaps')
  writeFileSync(file, `${cert}\n${root}\n`)
  await isGoodUntil(root)
  writeFileSync(file, cert)
  await isGoodUntil(cert)
  rmSync(file)
  await isGoodUntil(cert)
})

test('they are those of the address of the database, and what Node trusts besides its own', () => {
  const files = (env: Record<string, string>) => loadConfig(env).certificateFiles
  const address = 'postgres://me:a@db.example/x?sslmode=verify-full'
  assert.deepEqual(files({}), [])
  assert.deepEqual(files({ DATABASE_URL: address }), [])
  const DATABASE_URL = `${address}&sslrootcert=/a/ca.crt&sslcert=/a/me.crt&sslkey=/a/me.key`
  assert.deepEqual(files({ DATABASE_URL, NODE_EXTRA_CA_CERTS: '/b/ca.crt' }), ['/a/ca.crt', '/a/me.crt', '/b/ca.crt'])
  assert.deepEqual(files({ DATABASE_URL, NODE_EXTRA_CA_CERTS: '/a/ca.crt' }), ['/a/ca.crt', '/a/me.crt'])
})
