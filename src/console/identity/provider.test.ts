import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { IdentityProviderConfig } from '../../config.ts'
import { createProvider } from './provider.ts'

test('codes that are none do not make the service ask for the settings of the provider each time', async () => {
  let asked = 0
  const server = createServer((request, response) => {
    const issuer = `http://${request.headers.host}`
    const isSettings = request.url?.includes('openid-configuration') === true
    if (isSettings) asked += 1
    const settings = { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token` }
    response.writeHead(isSettings ? 200 : 400, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isSettings ? settings : { error: 'invalid_grant' }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  after(() => {
    server.close()
    server.closeAllConnections()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const config = { issuer, clientId: 'console', clientSecret: 'c'.repeat(20) } as unknown as IdentityProviderConfig
  const provider = createProvider(config, () => {})
  const back = 'http://localhost/console/signed-in'
  const { pending } = await provider.begin(back)
  const { state } = pending
  for (const answer of [
    `state=${state}&code=none`,
    'state=another&code=none',
    `state=${state}&error=access_denied`,
    `state=${state}&code=none`,
    'code=none',
  ]) {
    const finished = provider.finish(new URL(`${back}?${answer}`), pending)
    await assert.rejects(finished, { code: 'UNAUTHORIZED' }, answer)
  }
  // Once because it may have changed since it was asked first.
  assert.equal(asked, 2)
})
