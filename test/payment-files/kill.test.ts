// engine: postgres
/**
 * Killed between any two steps, nothing is paid twice, nothing is lost, and no line is booked twice. Real processes on a
 * real database.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { someBank } from '../support/statements.ts'
import { countSteps, type Work, work } from './kill-work.ts'

const PROGRAM = path.join(import.meta.dirname, 'kill-work.ts')

let db: TestDatabase
let world: BankWorld
const bank = someBank({ fateOf: () => 'paid' })
const received = new Set<string>()

before(async () => {
  db = await createTestDatabase({ engine: 'postgres', poolSize: 20 })
  world = await createBankWorld(db)
})
after(async () => {
  await world.close()
})

/** Runs the work in a process of its own. @returns whether it was killed */
async function killedAt(what: Work, killAt: number): Promise<boolean> {
  const child = spawn(process.execPath, [PROGRAM, what, db.url ?? '', world.folder, String(killAt)], {
    stdio: 'inherit',
  })
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null]
  assert.ok(signal === 'SIGKILL' || code === 0)
  return signal === 'SIGKILL'
}

/** The next run, by a process that lives. */
async function recover(what: Work): Promise<void> {
  await db.query('update payouts set next_attempt_at = now(), claimed_until = null')
  await work(what, db, fs, world.folder)
}

/** How many steps the work has when nothing interrupts it. */
async function stepsOf(what: Work): Promise<number> {
  const steps = countSteps(0)
  await work(what, steps.database(db), steps.fs, world.folder)
  return steps.count()
}

async function receiveAll(): Promise<void> {
  for (const name of (await fs.readdir(path.join(world.folder, 'out'))).sort()) {
    if (!name.endsWith('.xml') || received.has(name)) continue
    received.add(name)
    assert.equal(bank.receive(await fs.readFile(path.join(world.folder, 'out', name))).result, 'taken')
  }
}

test('a payment file is written whole and once, wherever its writing ends', async () => {
  await world.burntRedeem('1')
  const steps = await stepsOf('file')
  assert.ok(steps > 8)
  const payouts: string[] = []
  for (let killAt = 1; killAt <= steps; killAt += 1) {
    payouts.push((await world.burntRedeem(`${killAt}.5`)).payoutId)
    assert.ok(await killedAt('file', killAt), `step ${killAt}`)
    await recover('file')
    await receiveAll()
  }
  for (const payoutId of payouts) assert.equal(await world.payoutStatus(payoutId), 'sent')
  assert.equal(bank.orders().size, steps + 1)
  assert.deepEqual(bank.askedTwice(), [])
})

test('a statement is taken in once, wherever its reading ends', async () => {
  const deliver = async () => {
    const mint = await world.settledMint('7')
    bank.deposit(700n, { name: 'P', account: '12345' }, mint.referenceId)
    await fs.writeFile(path.join(world.folder, 'in', `${bank.day()}.xml`), bank.closeDay())
  }
  await deliver()
  const first = await stepsOf('read')
  await deliver()
  const steps = await stepsOf('read')
  assert.ok(first > steps && steps > 8)
  for (let killAt = 1; killAt <= steps; killAt += 1) {
    await deliver()
    assert.ok(await killedAt('read', killAt), `step ${killAt}`)
    await recover('read')
    assert.equal(await world.balanceSen('reserve:main'), bank.balanceSen(), `step ${killAt}`)
    assert.equal(await world.balanceSen(`mint_receivable:${world.integrationId}`), 0n)
  }
  assert.equal(await world.balanceSen('payout_clearing:bank_files'), 0n)
  assert.deepEqual(await fs.readdir(path.join(world.folder, 'working')), [])
  assert.deepEqual(await fs.readdir(path.join(world.folder, 'set-aside')), [])
})
