import assert from 'node:assert/strict'
import { test } from 'node:test'
import { zeroAddress } from 'viem'
import { addressOf, deployer, newTimelock, planFor, roles } from '../../../test/support/deployment.ts'
import { type DeploymentPlan, findPlanProblems } from './plan.ts'

const plan = planFor('http://127.0.0.1:1')
const problemsOf = (change: Partial<DeploymentPlan>) => findPlanProblems({ ...plan, ...change })
const withRoles = (change: Partial<DeploymentPlan['roles']>) => problemsOf({ roles: { ...plan.roles, ...change } })

test('a plan with a timelock, every holder and limits below ceilings is safe', () => {
  assert.deepEqual(problemsOf({}), [])
  assert.deepEqual(withRoles({ admin: addressOf('a timelock that stands') }), [])
})

test('the deployer is neither admin nor anything else, unless told so', () => {
  assert.deepEqual(withRoles({ admin: deployer.address }), ['The deployer must not be the admin.'])
  for (const name of Object.keys(roles))
    assert.deepEqual(withRoles({ [name]: [addressOf('one'), deployer.address] }), [
      `The deployer must not be among the ${name}.`,
    ])
  const all = { ...plan.roles, admin: deployer.address, signers: [deployer.address] }
  assert.deepEqual(problemsOf({ roles: all, unsafe: { admin: true } }), [])
})

test('seized coins do not go to the deployer, whose key is thrown away', () => {
  assert.deepEqual(problemsOf({ seizureAddress: deployer.address }), ['Seized coins must not go to the deployer.'])
  assert.deepEqual(problemsOf({ seizureAddress: addressOf('treasury') }), [])
})

test('a timelock waits a day at least and thirty at most, has proposers and executors, and the deployer is none', () => {
  const problems = (change: Partial<typeof newTimelock>) => withRoles({ admin: { ...newTimelock, ...change } })
  assert.deepEqual(problems({ delaySeconds: 86_399 }), ['A timelock waits at least 86400 s.'])
  assert.deepEqual(problems({ delaySeconds: 86_400 }), [])
  assert.deepEqual(problems({ delaySeconds: 2_592_000 }), [])
  assert.deepEqual(problems({ delaySeconds: 2_592_001 }), ['A timelock made here waits at most 2592000 s.'])
  assert.deepEqual(problems({ proposers: [] }), ['A timelock needs somebody who may propose.'])
  assert.deepEqual(problems({ executors: [] }), ['A timelock needs somebody who may execute.'])
  const deployerThere = ['The deployer must neither propose to nor execute for the timelock.']
  assert.deepEqual(problems({ proposers: [deployer.address] }), deployerThere)
  assert.deepEqual(problems({ executors: [deployer.address] }), deployerThere)
})

test('every role has a holder, and the zero address holds none', () => {
  for (const name of Object.keys(roles)) {
    assert.deepEqual(withRoles({ [name]: [] }), [`There must be ${name}.`])
    assert.deepEqual(withRoles({ [name]: [zeroAddress] }), [`The zero address is among the ${name}.`])
  }
})

test('limits stay below ceilings, ceilings below the stated maximum, and all fit the contract', () => {
  for (const kind of ['mint', 'burn', 'transfer'] as const) {
    for (const part of ['capacityMicro', 'refillPerSecondMicro'] as const) {
      const { limit, ceiling } = plan.limits[kind]
      const change = (changed: object) =>
        problemsOf({ limits: { ...plan.limits, [kind]: { limit, ceiling, ...changed } } })
      assert.deepEqual(change({ limit: { ...limit, [part]: ceiling[part] } }), [])
      assert.deepEqual(change({ limit: { ...limit, [part]: ceiling[part] + 1n } }), [
        `The ${kind} limit is above its ceiling.`,
      ])
      assert.deepEqual(change({ ceiling: { ...ceiling, [part]: plan.maximum[part] } }), [])
      assert.deepEqual(change({ ceiling: { ...ceiling, [part]: plan.maximum[part] + 1n } }), [
        `The ceiling of ${kind}s is above the stated maximum.`,
      ])
      const huge = { limits: { ...plan.limits, [kind]: { limit, ceiling: { ...ceiling, [part]: 2n ** 64n } } } }
      const maximum = { capacityMicro: 2n ** 65n, refillPerSecondMicro: 2n ** 65n }
      assert.match(problemsOf({ ...huge, maximum }).join(), /does not fit the contract/)
    }
  }
})
