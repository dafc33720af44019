import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { makeToken, newOperatorId } from '../operators/operator.ts'
import type { KnownOperator } from '../operators/operators.sql.ts'
import { OPERATOR_ROLES } from '../operators/roles.ts'
import { createAuthentication } from './authenticate.ts'
import { OperatorError } from './errors.ts'

const TOKEN = 'a-token-of-the-operators'

function authentication({
  sharedToken = TOKEN as string | null,
  environment = 'sandbox' as 'sandbox' | 'live',
  operators = [] as KnownOperator[],
  admins = false,
  isCertain = true,
} = {}) {
  const directory = {
    find: async (operatorId: string) => {
      return { value: operators.find((each) => each.operatorId === operatorId), isCertain }
    },
    hasAdmins: async () => ({ value: admins, isCertain }),
  }
  return createAuthentication({ sharedToken: sharedToken ?? undefined, environment, directory })
}

function someOperator(changes: Partial<KnownOperator> = {}) {
  const operatorId = newOperatorId()
  const { token, secretSha256 } = makeToken(operatorId)
  const operator: KnownOperator = {
    operatorId,
    name: 'Aminah',
    role: 'support',
    secretSha256,
    createdAt: new Date(),
    signedInAt: null,
    disabledAt: null,
    identity: null,
    isEmergency: false,
    emergencyOf: null,
    tokenSeenBy: null,
    ...changes,
  }
  return { operator, token }
}

describe('the shared token', () => {
  it('must not be short', () => {
    assert.throws(() => authentication({ sharedToken: 'x'.repeat(15) }), /at least 16 characters/)
    authentication({ sharedToken: 'x'.repeat(16) })
  })

  it('is let in as a bearer token, the scheme in any case, with every role', async () => {
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      const principal = await authentication()(`${scheme} ${TOKEN}`)
      assert.deepEqual(principal?.roles, OPERATOR_ROLES)
      assert.equal(principal?.operatorId, null)
      assert.equal(principal?.name, 'operator')
    }
  })

  it('is unknown in any other form, as is any other token, or none', async () => {
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
      assert.equal(await authentication()(authorization), undefined, String(authorization))
    }
    assert.equal(await authentication({ sharedToken: null })(`Bearer ${TOKEN}`), undefined)
  })

  it('ends in live when two admins have signed in, and never in the sandbox', async () => {
    assert.ok(await authentication({ environment: 'live' })(`Bearer ${TOKEN}`))
    assert.ok(await authentication({ admins: true })(`Bearer ${TOKEN}`))
    await assert.rejects(
      authentication({ environment: 'live', admins: true })(`Bearer ${TOKEN}`),
      (error) => error instanceof OperatorError && error.code === 'UNAUTHORIZED' && /two admins/.test(error.message),
    )
  })
})

describe('a personal token', () => {
  it('names its person, whose role is the only one', async () => {
    const [one, other] = [someOperator(), someOperator({ name: 'Bala', role: 'admin', signedInAt: new Date() })]
    const authenticate = authentication({
      operators: [one.operator, other.operator],
      environment: 'live',
      admins: true,
    })
    const { operatorId } = one.operator
    assert.deepEqual(await authenticate(`Bearer ${one.token}`), {
      operatorId,
      name: 'Aminah',
      issuer: null,
      role: 'support',
      roles: ['support'],
      tokenSeenBy: null,
      signedInBefore: false,
      isCertain: true,
    })
    assert.equal((await authenticate(`Bearer ${other.token}`))?.signedInBefore, true)
    const away = authentication({ operators: [one.operator], environment: 'live', isCertain: false })
    assert.equal((await away(`Bearer ${one.token}`))?.isCertain, false)
    assert.equal((await away(`Bearer ${TOKEN}`))?.isCertain, false)
  })

  it("is unknown with another's secret, for nobody, and after its person was disabled", async () => {
    const [one, other] = [someOperator(), someOperator()]
    const authenticate = authentication({ operators: [one.operator, other.operator] })
    assert.equal(await authenticate(`Bearer ${one.token.slice(0, 31)}${other.token.slice(31)}`), undefined)
    assert.equal(await authenticate(`Bearer ${someOperator().token}`), undefined)
    const gone = someOperator({ disabledAt: new Date() })
    assert.equal(await authentication({ operators: [gone.operator] })(`Bearer ${gone.token}`), undefined)
  })
})
