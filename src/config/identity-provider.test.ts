import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Env, LIVE, load, problemsOf } from '../../test/support/settings.ts'

/** Live in which people come through the company's provider, and therefore without OPERATOR_TOKEN. */
const PROVIDED: Env = {
  ...LIVE,
  OPERATOR_TOKEN: undefined,
  OIDC_ISSUER: 'https://login.example',
  OIDC_CLIENT_ID: 'coin',
  OIDC_CLIENT_SECRET: '7d0f2c4b91e35a6887c1d2e3f4a5b6c7',
  OIDC_ROLES: 'coin-admins=admin, coin-money=treasury',
}

describe('an identity provider', () => {
  it('is taken with the roles of its groups, in their order', () => {
    const provider = load(PROVIDED).identityProvider
    assert.ok(provider !== undefined)
    const { issuer, clientId, groupsClaim, roles } = provider
    assert.deepEqual([new URL(issuer).host, clientId, groupsClaim], ['login.example', 'coin', 'groups'])
    assert.deepEqual(roles, [
      { group: 'coin-admins', role: 'admin' },
      { group: 'coin-money', role: 'treasury' },
    ])
  })

  const refused: [string, Env][] = [
    ['live refuses OPERATOR_TOKEN beside OIDC_ISSUER', { ...PROVIDED, OPERATOR_TOKEN: LIVE.OPERATOR_TOKEN }],
    ["OPERATOR_TOKEN is a person's own token", { ...PROVIDED, OPERATOR_TOKEN: `coin_command_${'Qw3'.repeat(14)}x` }],
    ['OIDC_ISSUER must be an https address', { ...PROVIDED, OIDC_ISSUER: 'http://login.example' }],
    ['OIDC_CLIENT_ID is required with OIDC_ISSUER', { ...PROVIDED, OIDC_CLIENT_ID: undefined }],
    ['OIDC_CLIENT_SECRET is required with OIDC_ISSUER', { ...PROVIDED, OIDC_CLIENT_SECRET: undefined }],
    ['OIDC_ROLES is required with OIDC_ISSUER', { ...PROVIDED, OIDC_ROLES: undefined }],
    ['OIDC_ROLES must be a comma-separated list', { ...PROVIDED, OIDC_ROLES: 'coin-admins=king' }],
    ['OIDC_ROLES needs OIDC_ISSUER', { ...LIVE, OIDC_ROLES: 'coin-admins=admin' }],
  ]
  for (const [words, env] of refused) {
    it(`is refused: ${words}`, () => {
      assert.match(problemsOf(env).join('\n'), new RegExp(`^${words}`, 'm'))
    })
  }
})
