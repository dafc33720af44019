import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createAuthentication } from './authenticate.ts'
import { OperatorError } from './errors.ts'

const TOKEN = 'a-token-of-the-operators'

describe('the operator token', () => {
  it('must not be short', () => {
    assert.throws(() => createAuthentication('x'.repeat(15)), /at least 16 characters/)
    createAuthentication('x'.repeat(16))
  })

  it('is let in as a bearer token, the scheme in any case', () => {
    const authenticate = createAuthentication(TOKEN)
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) authenticate(`${scheme} ${TOKEN}`)
  })

  it('is refused in any other form, as is any other token, or none', () => {
    const authenticate = createAuthentication(TOKEN)
    const refused = [
      undefined,
      '',
      'Bearer',
      'Bearer ',
      TOKEN,
      `Basic ${TOKEN}`,
      `xBearer ${TOKEN}`,
      `Bearer  ${TOKEN}`,
      `Bearer ${TOKEN} `,
      `Bearer ${TOKEN}x`,
      `Bearer x${TOKEN}`,
      `Bearer ${TOKEN.slice(1)}`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Bearer ${'x'.repeat(501)}`,
    ]
    for (const authorization of refused) {
      assert.throws(
        () => authenticate(authorization),
        (error) => error instanceof OperatorError && error.code === 'UNAUTHORIZED' && !error.message.includes(TOKEN),
        authorization,
      )
    }
  })

  it('is that of its own service', () => {
    assert.throws(() => createAuthentication('another-token-of-others')(`Bearer ${TOKEN}`), OperatorError)
  })
})
