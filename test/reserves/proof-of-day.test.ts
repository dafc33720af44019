// engine: pglite
/** The last proof of each day is kept, so that what was signed at the end of a year can be checked afterwards. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { privateKeyToAddress } from 'viem/accounts'
import { readProofOfDay, storeProof } from '../../src/reserves/proofs.sql.ts'
import { proveReserves } from '../../src/reserves/prover.ts'
import type { SignedReserves } from '../../src/reserves/statement.ts'
import { type OperatorFixture, startOperator } from '../operator/fixture.ts'
import { wallet } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { bankSays } from '../support/reserve.ts'
import { temporaryFolder } from '../support/temp.ts'
import { atLeast } from '../support/wait-for.ts'
import { withoutGuards } from '../support/without-guards.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = privateKeyToAddress(`0x${'5a'.repeat(32)}`)
const COMMAND = path.join(import.meta.dirname, '../../scripts/reserves-verify.ts')

let s: Scenario
let coin: OperatorFixture
before(async () => {
  s = await startScenario({})
  coin = await startOperator({ db: s.db, chains: [] })
})
after(async () => {
  await coin.close()
  await s.end()
})

async function verify(...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: atLeast(60_000),
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

const prove = async (): Promise<SignedReserves> =>
  (await proveReserves({ db: s.db, chains: [s.chain], key: KEY })) ?? assert.fail('nothing was proven')

/** The day of the books, so many days from today. */
async function dayIn(days: number): Promise<string> {
  const [row] = await s.db.query<{ day: string }>(
    'select ((now() at time zone timezone)::date + $1::int)::text as day from ledger_book',
    [days],
  )
  return row?.day ?? ''
}

test('what was signed last on a day stays when there is more coin, and is checked against its own block', async () => {
  await s.settle()
  const mint = async () => {
    const [order] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: wallet(1) })
    await s.until(order, 'completed')
  }
  await mint()
  await bankSays(s.db, 1_000_000_000n, { daysAgo: 1 })
  await prove()
  const then = await prove()
  const today = await dayIn(0)
  const kept = await coin.run('reserves', 'proof', '--day', today)
  assert.deepEqual(kept, then)
  // A day later, in the database.
  await withoutGuards(s.db, (tx) => tx.query('update reserve_proofs_of_days set day = day - 1'))
  await mint()
  const now = await prove()
  assert.notEqual(now.supplies[0]?.supplyMicro, then.supplies[0]?.supplyMicro)
  const { stdout } = await coin.cli(['reserves', 'proof', '--day', await dayIn(-1), '--json'])
  const file = path.join(temporaryFolder('proof'), 'proof.json')
  writeFileSync(file, stdout)
  const rpc = ['--rpc', s.config.rpcUrls[0] ?? '']
  const checked = await verify(file, '--signer', SIGNER, ...rpc, '--as-of', then.madeAt)
  assert.deepEqual([checked.code, checked.stderr], [0, ''])
  assert.match(checked.stdout, /: 5 coin\n[\s\S]*RM 1000 stand behind RM 5\nAll of this was checked\.\n$/)
  const late = await verify(file, '--signer', SIGNER, ...rpc, '--as-of', '2099-12-31T23:59:59+08:00')
  assert.deepEqual([late.code, /too old/.test(late.stderr)], [1, true])
  const none = await verify(`${file}.not`, '--signer', SIGNER, ...rpc)
  assert.deepEqual([none.code, /proof\.json\.not cannot be read/.test(none.stderr)], [1, true])
  for (const noInstant of ['2026-12-31', 'yesterday'])
    assert.equal((await verify(file, ...rpc, '--as-of', noInstant)).code, 2)
})

test('of a day without a proof it is said which one is before it', async () => {
  const [yesterday, dayBefore, never] = [await dayIn(-1), await dayIn(-2), '2020-01-01']
  await withoutGuards(s.db, async (tx) => {
    await tx.query('delete from reserve_proofs_of_days')
    await tx.query(`insert into reserve_proofs_of_days values ($1, now(), '{}')`, [dayBefore])
  })
  for (const [day, says] of [
    [yesterday, `No proof of reserves is kept of ${yesterday}. The last one before it is of ${dayBefore}.`],
    [never, `No proof of reserves is kept of ${never}.`],
  ] as const) {
    const { status, body } = await coin.call('GET', `/reserves/proof?day=${day}`)
    assert.deepEqual([status, body.error.message], [404, says])
  }
})

test('a day counts by the books; an older proof takes no place, and an hour after its day none does', async () => {
  await withoutGuards(s.db, (tx) => tx.query('delete from reserve_proofs_of_days'))
  const proof = await prove()
  const at = (iso: string) => ({ ...proof, madeAt: iso })
  const today = await dayIn(0)
  const earlier = new Date(Date.parse(proof.madeAt) - 1_000).toISOString()
  await withoutGuards(s.db, (tx) => tx.query(`update reserve_proofs_of_days set day = $1`, [today]))
  await storeProof(s.db, at(earlier))
  const kept = await readProofOfDay(s.db, today)
  assert.equal('proof' in kept && kept.proof.madeAt, proof.madeAt)
  // The last second of a day in Kuala Lumpur, and the first of the next one.
  await storeProof(s.db, at('2026-10-31T15:59:59.000Z'))
  await storeProof(s.db, at('2026-10-31T16:00:00.000Z'))
  for (const [day, madeAt] of [
    ['2026-10-31', '2026-10-31T15:59:59.000Z'],
    ['2026-11-01', '2026-10-31T16:00:00.000Z'],
  ] as const) {
    const found = await readProofOfDay(s.db, day)
    assert.equal('proof' in found && found.proof.madeAt, madeAt)
  }
  for (const statement of [
    `update reserve_proofs_of_days set proof = '{}' where day = '2026-10-31'`,
    `delete from reserve_proofs_of_days where day = '2026-10-31'`,
  ])
    await assert.rejects(s.db.query(statement), /is kept as it is/)
  await assert.rejects(storeProof(s.db, at('2026-10-31T15:59:59.500Z')), /is kept as it is/)
  await s.db.query(`update reserve_proofs_of_days set proof = '{}' where day = $1`, [today])
})
