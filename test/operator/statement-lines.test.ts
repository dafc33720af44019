/** From a statement to its lines, and from each of them to what it is and to its entry in the books: by commands alone. */
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { parseSen } from '../../src/money.ts'
import { importFile } from '../../src/statements/import.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { type OperatorFixture, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
const bank = someBank({ fateOf: () => 'paid' })
before(async () => {
  world = await createBankWorld()
  api = await startOperator({ db: world.db, bank: (file) => importFile(world.importDeps, file) })
})
after(async () => {
  await api.close()
  await world.close()
})

type Said = {
  lineId: string
  amountMyr: string
  statement: string
  state: string
  as: string | null
  belongsTo: string | null
  madeOf: null
}

async function linesOf(statementNo: string, ...more: string[]): Promise<{ lines: Said[]; next: string | null }> {
  return (await api.run('bank', 'lines', 'list', '--statement', statementNo, ...more)) as never
}

test('a statement leads to each of its lines in their places, whatever they belong to, and each line to its entry', async () => {
  const { integrationId } = world
  await world.settledMint('100')
  await api.runWith('70001234567', 'integration', 'add-remitter', integrationId, '--account', '-')
  bank.deposit(6_000n, { name: 'Partner', account: '70001234567' }, 'monday')
  bank.deposit(55n, { name: 'Somebody', account: '8001234567' }, 'a gift')
  bank.deposit(20n, { name: 'The bank', account: '8001234568' }, 'interest')
  const file = path.join(world.folder, 'statement.xml')
  writeFileSync(file, bank.closeDay())
  await api.run('bank', 'import', file)
  const unallocated = (await api.run('bank', 'unallocated', 'list')).lines as Said[]
  const interest = unallocated.find(({ amountMyr }) => amountMyr === '0.2')
  await api.run('bank', 'unallocated', 'assign', interest?.lineId ?? '', '--own-funds', '--reason', 'interest')

  const [statement] = (await api.run('bank', 'statements', 'list', '--of', 'main')).statements
  const { lines } = await linesOf(statement.statementNo)
  assert.deepEqual(
    lines.map(({ amountMyr, state, as, belongsTo }) => [amountMyr, state, as, belongsTo]),
    [
      ['1000000', 'unallocated', null, null],
      ['60', 'matched', 'remitter', integrationId],
      ['0.55', 'unallocated', null, null],
      ['0.2', 'assigned', 'own_funds', 'main'],
    ],
  )
  const sum = lines.reduce((total, { amountMyr }) => total + (parseSen(amountMyr) ?? 0n), 0n)
  assert.equal(sum, parseSen(statement.closing), 'with what its first statement opens with they come to its balance')
  const entries: string[] = []
  for (const { statement: place } of lines) {
    const found = (await api.run('ledger', 'entries', '--reference', `statement/main/${place}`)).entries
    entries.push(...found.map(({ reference }: { reference: string }) => reference))
  }
  const all = (await api.run('ledger', 'entries', '--reference', `statement/main/${statement.statementId}`)).entries
  assert.deepEqual(entries.toSorted(), all.map(({ reference }: { reference: string }) => reference).toSorted())
  assert.equal(all.length, 5)

  const first = await linesOf(statement.statementNo, '--limit', '3')
  const second = await linesOf(statement.statementNo, '--limit', '3', '--after', first.next ?? '')
  assert.deepEqual([...first.lines, ...second.lines], lines)
  const [look] = (await api.run('audit', 'list')).entries
  assert.deepEqual([look.action, look.target], ['bank.lines.list', `statement/${statement.statementNo}`])
})

test('a statement that there is not, or none named, is refused', async () => {
  for (const [args, says] of [
    [['--statement', '999'], /No statement has the number 999/],
    [['--statement', 'S1'], /"statement" must be a whole number/],
    [[], /Give either/],
    [['--of', 'main', '--statement', '1'], /Give either/],
  ] as const) {
    const { code, stderr } = await api.cli(['bank', 'lines', 'list', ...args])
    assert.deepEqual([code, says.test(stderr)], [1, true], stderr)
  }
})
