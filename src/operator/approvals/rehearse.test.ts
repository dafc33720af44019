import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Logger } from 'pino'
import { whoActs } from '../../operators/acting.ts'
import { OperatorError } from '../errors.ts'
import { rehearse } from './rehearse.ts'

/** @returns what was logged */
async function tried(work: () => Promise<unknown>): Promise<unknown[]> {
  const logged: unknown[] = []
  const logger = { warn: ({ err }: { err: unknown }) => void logged.push(err) } as unknown as Logger
  await rehearse({ actor: 'somebody', origin: 'test' }, logger, work)
  return logged
}

test('what comes as far as where its approval would be used has succeeded, and nothing is said of it', async () => {
  const useApproval = async () => await whoActs().useApproval?.({} as never)
  assert.deepEqual(await tried(useApproval), [])
})

test('what nobody expected is said and waits all the same; a refusal is the answer', async () => {
  const unexpected = new TypeError('a fault of ours')
  assert.deepEqual(await tried(() => Promise.reject(unexpected)), [unexpected])
  const refusal = new OperatorError('CONFLICT', 'No.')
  await assert.rejects(
    tried(() => Promise.reject(refusal)),
    refusal,
  )
})
