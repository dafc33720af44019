// engine: postgres
/** Whoever approves that a bank file is taken in sees what it says: a statement by hand decides what the reserve is. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { importFile } from '../../src/statements/import.ts'
import { readContent } from '../../src/statements/read-content.ts'
import { ALL_OVER } from '../support/bank-setup.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { SETUP, someBank } from '../support/statements.ts'
import { type OperatorFixture, type Person, startOperator } from './fixture.ts'

let world: BankWorld
let api: OperatorFixture
let one: Person
let two: Person
before(async () => {
  world = await createBankWorld()
  const deps = {
    db: world.db,
    bank: (file: Parameters<typeof importFile>[1]) => importFile(world.importDeps, file),
    readsBankFile: async (file: Parameters<typeof readContent>[1]) =>
      readContent({ setup: SETUP, now: ALL_OVER }, file),
  }
  const open = await startOperator(deps)
  const people = [await open.person('treasury'), await open.person('treasury')] as const
  await open.close()
  api = await startOperator({ ...deps, fourEyes: true })
  for (const person of people) {
    person.call = (method, target, body, headers = {}) =>
      api.call(method, target, body, { authorization: `Bearer ${person.token}`, ...headers })
  }
  ;[one, two] = people
})
after(async () => {
  await api.close()
  await world.close()
})

async function aboutOf(content: string | Buffer): Promise<Record<string, string>> {
  const body = { name: 'a.xml', content: Buffer.from(content).toString('base64') }
  const { approvalId } = (await one.call('POST', '/bank/import', body)).body
  return (await two.call('GET', `/approvals/${approvalId}`)).body.approval.about
}

const bank = someBank({ openingSen: 500_000n, fateOf: () => 'rejected' })

test('of a statement: its balances beside those of the newest one, its sums, and its lines', async () => {
  bank.deposit(123_456_789n, { name: 'Somebody', account: '70009999999' }, 'for nothing')
  bank.withdraw(700n, { name: 'Payee', account: '8001234567' }, 'rent')
  const first = bank.closeDay()
  const { message, ...about } = await aboutOf(first)
  assert.match(message ?? '', /^camt\.053\.001\.08 /)
  assert.deepEqual(about, {
    newest: 'No statement of the account was applied yet.',
    statement:
      'main: S00000004, from RM 5,000.00 on 2026-11-20 to RM 1,239,560.89 on 2026-11-20; 1 credit of RM 1,234,567.89, 1 debit of RM -7.00',
    line: 'RM 1,234,567.89 of 2026-11-20, from …9999: for nothing',
    'line 2': 'RM -7.00 of 2026-11-20, to …4567: rent',
  })
  await world.importXml(first)
  for (let count = 1; count <= 25; count += 1) bank.deposit(BigInt(count), { name: 'P', account: '70009999999' })
  const { newest, lines, line, ...rest } = await aboutOf(bank.closeDay())
  assert.match(newest ?? '', /^main: \S+ closed on 2026-11-20 with RM 1,239,560\.89$/)
  assert.equal(lines, 'The 20 of 25 lines that move most.')
  assert.match(line ?? '', /^RM 0\.25 /)
  assert.equal(Object.keys(rest).filter((name) => name.startsWith('line ')).length, 19)
})

test('of a notification and of a status report what they say, and of what is refused why', async () => {
  bank.deposit(700n, { name: 'P', account: '70009999999' }, 'today')
  assert.equal((await aboutOf(bank.notification())).notified, '1 credit of RM 7.00, 0 debits of RM 0.00')
  await world.burntRedeem('10')
  await world.payDue()
  await world.file()
  bank.receive(await world.outFile('COIN-00000001'))
  const { report } = await aboutOf(bank.report('COIN-00000001'))
  assert.match(report ?? '', /^of COIN-00000001.*; payments: 1 RJCT$/)
  assert.match((await aboutOf(bank.foreignStatement())).would ?? '', /^It would be set aside: .* is not one of ours/)
})
