// engine: postgres
/** The bank has issued an applied statement again with another closing balance: what it corrected is booked as a line, and what waits follows. */
import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { bookLines } from '../../src/statements/book.ts'
import { bridgeStatement } from '../../src/statements/bridge.ts'
import { findStatementTroubles } from '../../src/statements/compare.ts'
import { listUnallocated } from '../../src/statements/lists.sql.ts'
import { listWaiting } from '../../src/statements/waiting.sql.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { NOW, SILENT } from '../support/bank-setup.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'

const worlds = createBankWorlds()
afterEach(() => worlds.close())

const numbered = (xml: string, number?: number) =>
  xml.replace(/<Stmt>\s*<Id>.*?<\/Id>/, `$&<ElctrncSeqNb>${number}</ElctrncSeqNb>`)

/** A statement that was applied, and two later ones of a bank that closes it with so much more. */
async function correctedBy(moreSen: bigint, [first, second, third] = [1, 2, 3]) {
  const world = await worlds.open()
  await world.importXml(numbered(someBank().closeDay(), first))
  const bank = someBank({ openingSen: 100_000_000n + moreSen, day: '2026-11-21', seed: 'again' })
  for (const [text, number] of [
    ['rent', second],
    ['more', third],
  ] as const) {
    bank.deposit(700n, { name: 'P', account: '12345' }, text)
    await world.importXml(numbered(bank.closeDay(), number))
  }
  const waiting = await listWaiting(world.db)
  assert.equal(waiting.length, 2)
  const bridge = (index: number, sen: bigint) =>
    world.db.transaction((tx) =>
      bridgeStatement({ tx, secrets: TEST_SECRETS }, waiting[index]?.statementNo ?? 0n, sen * 10_000n),
    )
  return { world, bank, bridge }
}

test('the difference becomes a line that nothing explains, and all that waited is booked', async () => {
  for (const moreSen of [1_000n, -1_000n]) {
    const { world, bank, bridge } = await correctedBy(moreSen)
    const wrong = await bridge(0, moreSen + 1n)
    assert.match(wrong.result === 'refused' ? wrong.sentence : '', /The difference is RM -?10\.00,/)
    const early = await bridge(1, moreSen + 700n)
    assert.match(early.result === 'refused' ? early.sentence : '', /waits before it/)
    assert.equal((await listWaiting(world.db)).length, 2)
    assert.equal((await bridge(0, moreSen)).result, 'bridged')
    assert.equal((await bridge(0, moreSen)).result, 'not_waiting')
    assert.deepEqual(await listWaiting(world.db), [])
    await bookLines({ db: world.db, secrets: TEST_SECRETS, logger: SILENT as never, now: () => NOW })
    const lines = await listUnallocated(world.db, { after: undefined, limit: 10 })
    assert.ok(
      lines.some(
        ({ amountMicro, statementId }) => amountMicro === moreSen * 10_000n && /-corrected$/.test(statementId),
      ),
    )
    assert.deepEqual(await findStatementTroubles(world.db, TEST_SECRETS), [])
    assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen())
  }
})

test('nothing is bridged while the bank’s numbers say that a statement is missing, or where the balance follows', async () => {
  const missing = await correctedBy(1_000n, [1, 3, 4])
  const refused = await missing.bridge(0, 1_000n)
  assert.match(refused.result === 'refused' ? refused.sentence : '', /number 2 is missing/)
  assert.equal((await listWaiting(missing.world.db)).length, 2)
  const same = await correctedBy(0n, [1, 3, 4])
  assert.equal((await same.bridge(0, 0n)).result, 'refused')
})
