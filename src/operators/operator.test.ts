import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Operator, whyNotDisabled } from './operator.ts'

const admin = (name: string, more: Partial<Operator> = {}): Operator => ({
  operatorId: `opr_${name}`,
  name,
  role: 'admin',
  createdAt: new Date(0),
  signedInAt: new Date(0),
  disabledAt: null,
  identity: null,
  isEmergency: false,
  emergencyOf: null,
  tokenSeenBy: null,
  ...more,
})
const provided = (name: string) => admin(name, { identity: { issuer: 'https://login.example', subject: name } })

test('where tokens are refused, admins who have one are none of the two who remain', () => {
  const [aminah, bala, chong, dewi] = [admin('aminah'), admin('bala'), provided('chong'), provided('dewi')]
  const admins = [aminah, bala, chong, dewi]
  assert.equal(whyNotDisabled(chong, { admins, refusesTokens: false }), undefined)
  assert.match(
    whyNotDisabled(chong, { admins, refusesTokens: true }) ?? '',
    /sign in through the identity provider first/,
  )
  assert.equal(whyNotDisabled(aminah, { admins, refusesTokens: true }), undefined, 'nobody is let in by it')
  const made = admin('eng', { isEmergency: true })
  assert.equal(whyNotDisabled(chong, { admins: [...admins, made], refusesTokens: true }), undefined)
  const own = admin('dewi2', { isEmergency: true, emergencyOf: dewi.operatorId })
  assert.notEqual(whyNotDisabled(chong, { admins: [...admins, own], refusesTokens: true }), undefined)
})
