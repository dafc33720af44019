import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { IdentityProviderConfig } from '../../config.ts'
import { createProvider } from './provider.ts'

/** What somebody is told who signs in at such a provider, and why nothing came of it. */
async function signIn(listener: RequestListener) {
  const server = createServer(listener)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = { issuer, clientId: 'console', clientSecret: 'c'.repeat(20) } as unknown as IdentityProviderConfig
  const reasons: string[] = []
  const warn = (error: unknown) => {
    for (let at = error; at instanceof Error; at = at.cause) reasons.push(at.message)
  }
  const refusal = await createProvider(config, warn)
    .begin('http://localhost/console/signed-in')
    .catch((error: { code: string }) => error.code)
  return { refusal, reasons }
}

const TOO_LONG = 'The answer of the identity provider is too long.'

test('an answer that does not end is given up when it is too long, not when its time is over', async () => {
  const { refusal, reasons } = await signIn((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, ' '))) {
        // Until the client takes no more for now.
      }
    }
    response.on('drain', more)
    more()
  })
  assert.equal(refusal, 'SERVICE_UNAVAILABLE')
  assert.ok(reasons.includes(TOO_LONG), reasons.join())
})

test('one that is short only as it is sent is too long as well', async () => {
  const { reasons } = await signIn((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' })
    response.end(gzipSync(Buffer.alloc(16 * 1024 * 1024, ' ')))
  })
  assert.ok(reasons.includes(TOO_LONG), reasons.join())
})

test('one of usual length is read', async () => {
  const { refusal, reasons } = await signIn((request, response) => {
    const issuer = `http://${request.headers.host}`
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ issuer, authorization_endpoint: `${issuer}/authorize` }))
  })
  assert.deepEqual(reasons, [])
  assert.equal(typeof refusal, 'object')
})
