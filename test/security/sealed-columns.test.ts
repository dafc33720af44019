// engine: postgres; both in test:long
/**
 * What is kept of people and secrets can be read in no column, and the search that says so would see it: each sealed column is
 * unsealed in turn, in each spelling, and found.
 */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { SEALED_BANK_DETAILS } from '../../src/bank-details/resealing.sql.ts'
import type { Queryable } from '../../src/db/database.ts'
import { requireSecretsKey, SEALED_KEY } from '../../src/db/secrets-key.sql.ts'
import { SEALED_ANSWERS } from '../../src/operators/answers.sql.ts'
import { SEALED_APPROVALS } from '../../src/operators/resealing.sql.ts'
import { SEALED_FILES } from '../../src/payment-files/files.sql.ts'
import { importFile } from '../../src/statements/import.ts'
import { SEALED_ENDPOINTS } from '../../src/webhooks/endpoints/resealing.sql.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { giveBank, TEST_SECRETS } from '../support/bank-details.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { dropGuards } from '../support/without-guards.ts'
import { dumpRows, readableIn } from './clear-text.ts'

const TABLES = [SEALED_APPROVALS, SEALED_ANSWERS, SEALED_BANK_DETAILS, SEALED_ENDPOINTS, SEALED_FILES, SEALED_KEY]
/** Every column that is sealed. The schema refuses in each what does not look like it. */
const SEALED_COLUMNS = [
  'approvals.body',
  'bank_details.sealed',
  'operator_answers.answer',
  'payment_files.content',
  'secrets_key.sealed',
  'webhook_endpoints.next_secret_encrypted',
  'webhook_endpoints.secret_encrypted',
]

const PAYEE = { bic: 'CIBBMYKL', account: '80019283746551', name: 'Canarina Payee' }
const ASKED = { bankBic: 'MBBEMYKL', bankAccount: '70198234550916', bankName: 'Canarina Asked' }
const DEPOSITOR = { name: 'Canarina Depositor', account: '60047382915564' }
const WORDS = 'for the canary of Gopal'

let world: BankWorld
let api: OperatorFixture
const canaries = [...Object.values(PAYEE).slice(1), ASKED.bankAccount, ASKED.bankName, DEPOSITOR.name]
canaries.push(DEPOSITOR.account, WORDS)

before(async () => {
  world = await createBankWorld()
  const { db, integrationId } = world
  await requireSecretsKey(db, TEST_SECRETS)
  await giveBank(db, PAYEE)
  api = await startOperator({
    db,
    secrets: TEST_SECRETS,
    fourEyes: true,
    bank: (file) => importFile(world.importDeps, file),
  })
  const customer = {
    integrationId,
    type: 'RETAIL',
    status: 'VERIFIED',
    level: 'T',
    country: 'MY',
    monthlyCap: '600000',
  }
  // Where nobody approves, people are let in at once.
  const alone = await startOperator({ db, secrets: TEST_SECRETS })
  const authorization = `Bearer ${(await alone.person('onboarding')).token}`
  await alone.close()
  const asked = await api.call('POST', '/customers', { ...customer, ...ASKED }, { authorization })
  assert.equal(asked.body.status, 'waiting')
  const shown = await api.call(
    'POST',
    '/webhooks',
    { integrationId, url: 'https://a.test/' },
    { 'idempotency-key': 'one' },
  )
  const next = await api.call('POST', `/webhooks/${shown.body.endpointId}/rotate`, {})
  for (const { body } of [shown, next]) canaries.push(String(body.secret).slice('whsec_'.length))

  const bank = someBank({ fateOf: () => 'rejected' })
  await world.burntRedeem('10')
  await world.payDue()
  assert.deepEqual((await world.file()).files, ['COIN-00000001'])
  bank.deposit(6_000n, DEPOSITOR, WORDS)
  bank.receive(await world.outFile('COIN-00000001'))
  const report = bank
    .report('COIN-00000001')
    .replace(/<\/Rsn>/, `</Rsn><AddtlInf>account ${PAYEE.account} is closed</AddtlInf>`)
  assert.equal((await world.importXml(report, 'report.xml')).taken.result, 'applied')
  assert.equal((await world.importXml(bank.closeDay())).taken.result, 'applied')
})
after(async () => {
  await api.close()
  await world.close()
})

/** What each sealed value says. */
async function openedValues(db: Queryable): Promise<Map<string, string>> {
  const opened = new Map<string, string>()
  for (const { find } of TABLES) {
    for (const { sealed, boundTo } of await find(db, { prefix: 'none', after: '', limit: 1_000 })) {
      opened.set(sealed, TEST_SECRETS.open(sealed, boundTo))
    }
  }
  return opened
}

/** The columns in which something sealed stands. */
async function sealedColumns(db: Queryable): Promise<{ table: string; column: string; sealed: string }[]> {
  const columns = await db.query<{ table: string; column: string }>(
    `select c.table_name::text as table, c.column_name::text as column from information_schema.columns c
     join pg_tables t on t.schemaname = 'public' and t.tablename = c.table_name
     where c.table_schema = 'public' and c.data_type = 'text' order by 1, 2`,
  )
  const found: { table: string; column: string; sealed: string }[] = []
  for (const { table, column } of columns) {
    const rows = await db.query<{ sealed: string }>(
      `select "${column}" as sealed from "${table}" where starts_with("${column}", 'sb1.')`,
    )
    found.push(...rows.map(({ sealed }) => ({ table, column, sealed })))
  }
  return found
}

test('nothing that is kept of people, and no secret, can be read in the database or the log', async () => {
  const rows = await dumpRows(world.db)
  assert.deepEqual(
    rows.flatMap(({ table, row }) => readableIn(row, canaries).map((text) => `${text} in ${table}`)),
    [],
  )
  assert.deepEqual(readableIn(api.log.join('\n'), canaries), [])
})

test('each sealed column, unsealed in any spelling, would be found, and the schema refuses what is not sealed', async () => {
  const { db } = world
  const opened = await openedValues(db)
  const found = await sealedColumns(db)
  assert.deepEqual([...new Set(found.map(({ table, column }) => `${table}.${column}`))], SEALED_COLUMNS)
  for (const name of SEALED_COLUMNS) {
    const values = found.filter(({ table, column }) => `${table}.${column}` === name)
    const bearing = values.find(({ sealed }) => readableIn(opened.get(sealed) ?? '', canaries).length > 0)
    const value = name === 'secrets_key.sealed' ? values[0] : bearing
    assert.ok(value, `${name} holds nothing of what is looked for`)
    const { table, column, sealed } = value
    const text = opened.get(sealed) ?? ''
    const put = (tx: Queryable, written: string) =>
      tx.query(`update "${table}" set "${column}" = $1 where "${column}" = $2`, [written, sealed])
    await assert.rejects(put(db, text), /check constraint/, name)
    for (const encoding of ['utf8', 'hex', 'base64', 'base64url'] as const) {
      const undone = new Error('undone')
      const unsealed = db.transaction(async (tx) => {
        await dropGuards(tx)
        await put(tx, `sb1.${Buffer.from(text, 'utf8').toString(encoding)}`)
        const rows = await dumpRows(tx, table)
        const looked = name === 'secrets_key.sealed' ? [text] : canaries
        assert.ok(
          rows.some(({ row }) => readableIn(row, looked).length > 0),
          `${name} in ${encoding} is not seen`,
        )
        throw undone
      })
      await assert.rejects(unsealed, undone)
    }
  }
})
