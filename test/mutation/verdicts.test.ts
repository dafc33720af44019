import assert from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../support/temp.ts'
import type { Verdict } from './judge.ts'
import type { Mutant } from './mutant.ts'
import { openVerdicts } from './verdicts.ts'

const result = (id: string, verdict: Verdict) => ({ mutant: { id } as Mutant, verdict })
const killed: Verdict = { kind: 'killed', by: 'a.test.ts' }

test('what was noticed is known again, room by room; a survivor is not, until a test notices it', () => {
  const folder = temporaryFolder('verdicts')
  const verdicts = openVerdicts(folder, 'life')
  assert.equal(verdicts.known().size, 0)
  verdicts.add(result('a', killed))
  verdicts.add(result('b', { kind: 'survived', reached: true }))
  openVerdicts(folder, 'payouts').add(result('c', killed))
  assert.deepEqual([...openVerdicts(folder, 'life').known()], [['a', killed]])
  verdicts.add(result('b', { kind: 'timeout', by: 'b.test.ts' }))
  assert.deepEqual([...verdicts.known().keys()], ['a', 'b'])
  verdicts.forget()
  assert.equal(verdicts.known().size, 0)
})
