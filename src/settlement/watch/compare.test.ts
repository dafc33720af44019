import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from 'viem'
import type { BucketLimit } from '../../chain/deployment/plan.ts'
import type { DeploymentRoles } from '../../chain/deployment/roles.ts'
import type { BucketName } from '../../chain/instructions.ts'
import type { Powers } from '../../chain/powers.ts'
import type { ChainConfig } from '../../config.ts'
import { changesOf } from './compare.ts'

const who = (digit: string): Address => `0x${digit.repeat(40)}`
const [ADMIN, SIGNER, THIEF, SETTLEMENT] = [who('1'), who('2'), who('3'), who('4')]
const bucket = (capacityMicro: bigint, refillPerSecondMicro: bigint): BucketLimit => ({
  capacityMicro,
  refillPerSecondMicro,
})
const KINDS: readonly BucketName[] = ['mint', 'burn', 'transfer']

type Change = { signers?: Address[]; limits?: Partial<Record<BucketName, BucketLimit>>; code?: Address } & {
  ceilings?: Partial<Record<BucketName, BucketLimit>>
}

const powersOf = ({ signers = [SIGNER], limits = {}, ceilings = {}, code = who('8') }: Change = {}): Powers => ({
  roles: [
    { contract: 'coin', role: 'settler', holders: [SETTLEMENT] },
    { contract: 'settlement', role: 'signer', holders: signers },
  ],
  buckets: [
    ...KINDS.map((kind) => ({ name: 'limit' as const, kind, bucket: limits[kind] ?? bucket(10n, 5n) })),
    ...KINDS.map((kind) => ({ name: 'ceiling' as const, kind, bucket: ceilings[kind] ?? bucket(20n, 6n) })),
  ],
  code: [
    { contract: 'coin', implementation: who('9') },
    { contract: 'settlement', implementation: code },
  ],
})

const DEPLOYMENT = {
  roles: {
    admin: ADMIN,
    signers: [SIGNER],
    limiters: [],
    linkers: [],
    freezers: [],
    pausers: [],
    unpausers: [],
  } satisfies DeploymentRoles,
  ceilings: { mint: bucket(30n, 7n), burn: bucket(20n, 6n), transfer: bucket(20n, 6n) },
}
const CONFIGURED = { deployment: DEPLOYMENT, settlement: SETTLEMENT } as unknown as ChainConfig
const UNKNOWN = { deployment: undefined, settlement: SETTLEMENT } as unknown as ChainConfig

const told = (before: Change, now: Change, config = CONFIGURED) =>
  changesOf(powersOf(before), powersOf(now), config).map(({ details, adds }) => `${adds ? '+' : '-'} ${details}`)

test('where nothing changed there is no news, whatever the chains file asks for', () => {
  for (const config of [CONFIGURED, UNKNOWN])
    assert.deepEqual(told({ signers: [THIEF] }, { signers: [THIEF] }, config), [])
})

test('a role is news unless it goes to whom the chains file names; a role that is taken away always is', () => {
  assert.deepEqual(told({ signers: [] }, { signers: [SIGNER] }), [])
  assert.deepEqual(told({ signers: [] }, { signers: [SIGNER] }, UNKNOWN), [
    `+ ${SIGNER} was given the signer role of the settlement`,
  ])
  assert.deepEqual(told({ signers: [SIGNER] }, { signers: [ADMIN, THIEF] }), [
    `+ ${ADMIN} was given the signer role of the settlement`,
    `+ ${THIEF} was given the signer role of the settlement`,
    `- the signer role of the settlement was taken from ${SIGNER}`,
  ])
})

test('a limit is news whichever of its numbers changes, and adds power when either of them grows', () => {
  const change = (now: BucketLimit) => told({}, { limits: { burn: now } })
  const from = 'the limit of burns went from 0.00001 (and 0.000005 a second) to'
  assert.deepEqual(change(bucket(11n, 5n)), [`+ ${from} 0.000011 (and 0.000005 a second)`])
  assert.deepEqual(change(bucket(10n, 6n)), [`+ ${from} 0.00001 (and 0.000006 a second)`])
  assert.deepEqual(change(bucket(9n, 6n)), [`+ ${from} 0.000009 (and 0.000006 a second)`])
  assert.deepEqual(change(bucket(9n, 5n)), [`- ${from} 0.000009 (and 0.000005 a second)`])
  assert.deepEqual(change(bucket(10n, 4n)), [`- ${from} 0.00001 (and 0.000004 a second)`])
})

test('a ceiling is no news while it grows up to the one that the chains file asks for; a limit always is', () => {
  const ceiling = (now: BucketLimit, config = CONFIGURED) => told({}, { ceilings: { mint: now } }, config).length
  assert.equal(ceiling(bucket(30n, 7n)), 0)
  assert.equal(ceiling(bucket(31n, 7n)), 1)
  assert.equal(ceiling(bucket(30n, 8n)), 1)
  assert.equal(ceiling(bucket(19n, 6n)), 1, 'nobody asked for less')
  assert.equal(ceiling(bucket(30n, 7n), UNKNOWN), 1)
  assert.equal(told({}, { limits: { mint: bucket(20n, 6n) } }).length, 1)
})

test('code that is replaced is news, with what ran before', () => {
  assert.deepEqual(told({}, { code: THIEF }), [`+ the settlement runs ${THIEF} instead of ${who('8')}`])
})
