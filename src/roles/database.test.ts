import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Role } from '../config.ts'
import { needlessGroups, requireLimited } from './database.ts'

const access = (groups: string[], change: { isSuperuser?: boolean; isOwner?: boolean } = {}) => ({
  user: 'coin_payer',
  isSuperuser: false,
  isOwner: false,
  groups,
  ...change,
})

describe('the user of a process', () => {
  it('has no group that its roles do not need', () => {
    const groups = ['stablecoin_api', 'stablecoin_payer', 'stablecoin_settler']
    assert.deepEqual(needlessGroups(access(groups), new Set<Role>(['payer'])), ['stablecoin_api', 'stablecoin_settler'])
    assert.deepEqual(needlessGroups(access(groups), new Set<Role>(['api', 'payer', 'settler'])), [])
  })

  it('is neither a superuser nor the owner', () => {
    requireLimited(access(['stablecoin_payer']))
    assert.throws(() => requireLimited(access([], { isSuperuser: true })), /is a superuser/)
    assert.throws(() => requireLimited(access([], { isOwner: true })), /owns the tables/)
  })
})
