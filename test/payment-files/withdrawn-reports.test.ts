// engine: postgres; both in test:long
/** What a bank says of a payment file that was withdrawn: it says nothing of the file that its payments are in since. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { after, test } from 'node:test'
import { createSecretBox } from '../../src/secrets/secrets.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { setPayout, storedOnly } from './filing.ts'

const [WITHDRAWN, NEXT] = ['COIN-00000001', 'COIN-00000002']

const worlds = createBankWorlds()
after(() => worlds.close())

test('a report about a file that was withdrawn moves no payment, which the bank has in another file, and is set aside aloud', async () => {
  const world = await worlds.open()
  const bank = someBank({ fateOf: () => 'pending' })
  const [held, due] = [await world.burntRedeem('10'), await world.burntRedeem('20')]
  await storedOnly(world)
  // Somebody brings the bank our own copy.
  bank.receive(await readFile(path.join(world.folders.kept, `${WITHDRAWN}.xml`)))
  await setPayout(world, held.payoutId, `status = 'held', hold_reason = 'by_operator'`)
  const { files, withdrawn } = await world.file()
  assert.deepEqual([files, withdrawn.map(({ messageId }) => messageId)], [[NEXT], [WITHDRAWN]])
  bank.receive(await world.outFile(NEXT))
  for (const status of [{ code: 'RJCT', reason: 'AC04' }, { code: 'ACSP' }]) {
    const { taken } = await world.importXml(bank.report(WITHDRAWN, status))
    assert.ok(taken.result === 'refused', taken.result)
    assert.equal(taken.refusal.code, 'foreign')
    assert.match(taken.refusal.sentence, /^COIN-00000001 was withdrawn and never went out .* paid twice\.$/)
    assert.equal(await world.payoutStatus(due.payoutId), 'sent')
  }
  // One that no key opens is refused as well: left for the next time, it would be tried for ever.
  const unopened = createSecretBox(randomBytes(32)).seal('what no key opens', WITHDRAWN)
  await withoutGuards(world.db, (tx) =>
    tx.query('update payment_files set content = $2 where message_id = $1', [WITHDRAWN, unopened]),
  )
  assert.equal((await world.importXml(bank.report(WITHDRAWN, { code: 'ACSC' }))).taken.result, 'refused')
  const [filed] = await world.db.query('select message_id, meaning from filed_payments where end_to_end_id = $1', [
    due.endToEndId,
  ])
  assert.deepEqual(filed, { message_id: NEXT, meaning: null })
  assert.equal((await world.importXml(bank.report(NEXT, { code: 'RJCT', reason: 'AC04' }))).taken.result, 'applied')
  assert.equal(await world.payoutStatus(due.payoutId), 'rejected')
})
