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
const ISSUER = 'https://login.example'
const provided = (name: string) => admin(name, { identity: { issuer: ISSUER, subject: name } })
const BESIDE = { refusesTokens: true, provider: ISSUER }

test('where tokens are refused, admins who have one are none of the two who remain', () => {
  const [aminah, bala, chong, dewi] = [admin('aminah'), admin('bala'), provided('chong'), provided('dewi')]
  const admins = [aminah, bala, chong, dewi]
  assert.equal(whyNotDisabled(chong, { admins, refusesTokens: false, provider: ISSUER }), undefined)
  assert.match(whyNotDisabled(chong, { admins, ...BESIDE }) ?? '', /sign in through the identity provider first/)
  assert.equal(whyNotDisabled(aminah, { admins, ...BESIDE }), undefined, 'nobody is let in by it')
  const made = admin('eng', { isEmergency: true })
  assert.equal(whyNotDisabled(chong, { admins: [...admins, made], ...BESIDE }), undefined)
  const own = admin('dewi2', { isEmergency: true, emergencyOf: dewi.operatorId })
  assert.notEqual(whyNotDisabled(chong, { admins: [...admins, own], ...BESIDE }), undefined)
})

test('admins of a provider that is not configured are none of the two who remain', () => {
  const [aminah, bala, chong, dewi] = [admin('aminah'), admin('bala'), provided('chong'), provided('dewi')]
  const admins = [aminah, bala, chong, dewi]
  assert.notEqual(whyNotDisabled(aminah, { admins, refusesTokens: false, provider: undefined }), undefined)
  assert.equal(whyNotDisabled(chong, { admins, refusesTokens: false, provider: undefined }), undefined)
  assert.equal(whyNotDisabled(aminah, { admins, refusesTokens: false, provider: ISSUER }), undefined)
  const elsewhere = { refusesTokens: true, provider: 'https://other.example' }
  const [eng, fadil] = [admin('eng', { isEmergency: true }), admin('fadil', { isEmergency: true })]
  assert.notEqual(whyNotDisabled(eng, { admins: [...admins, eng, fadil], ...elsewhere }), undefined)
})
