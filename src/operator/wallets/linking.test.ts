import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Consent } from '../../chain/links.ts'
import { OperatorError } from '../errors.ts'
import { assignConsents, type ChainLink } from './linking.ts'

const given: Consent = { signature: '0x61', deadline: 1n }
const kept: Consent = { signature: '0x6b', deadline: 2n }

type Change = { isLinked?: boolean; demanded?: boolean; kept?: Consent }

function link(chainId: number, change: Change = {}): ChainLink {
  const { isLinked = false, demanded = true } = change
  return { chainId, state: { isLinked, nonce: 0n, consentRequired: demanded }, demanded, kept: change.kept }
}

const assigned = (links: ChainLink[], consent?: Consent) => [...assignConsents(links, consent)]

function refusalOf(links: ChainLink[], consent?: Consent): string {
  try {
    assignConsents(links, consent)
    return 'none'
  } catch (error) {
    assert.ok(error instanceof OperatorError)
    return `${error.code} ${error.message.match(/chains? ([\d, ]*\d)/)?.[1]}`
  }
}

test('a chain that demands no consent, or has linked the wallet, needs none', () => {
  assert.deepEqual(assigned([link(1, { demanded: false }), link(2, { isLinked: true })]), [])
})

test('one consent goes to the one chain that demands it', () => {
  assert.deepEqual(assigned([link(1)], given), [[1, given]])
  assert.deepEqual(assigned([link(1, { isLinked: true }), link(2), link(3, { demanded: false })], given), [[2, given]])
})

test('a given consent is passed to the only chain even where none is demanded', () => {
  assert.deepEqual(assigned([link(1, { demanded: false })], given), [[1, given]])
})

test('the kept consent serves until another one is given', () => {
  assert.deepEqual(assigned([link(1, { kept })]), [[1, kept]])
  assert.deepEqual(assigned([link(1, { kept })], given), [[1, given]])
  assert.deepEqual(assigned([link(1, { isLinked: true, kept }), link(2)], given), [
    [1, kept],
    [2, given],
  ])
})

test('chains that lack a consent are named', () => {
  assert.equal(refusalOf([link(1), link(2, { kept }), link(3)]), 'CONFLICT 1, 3')
  assert.equal(refusalOf([link(1)]), 'CONFLICT 1')
})

test('one consent is not tried on several chains', () => {
  assert.equal(refusalOf([link(1), link(2)], given), 'BAD_REQUEST 1, 2')
})
