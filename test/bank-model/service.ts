/** Our side of a life: mints and redeems that settle, payouts that go out in files, the bank's files that come in, backups that are restored. */
import * as fs from 'node:fs/promises'
import path from 'node:path'
import type { FileOps } from '../../src/bank-files/folder/layout.ts'
import { paymentsOf } from '../../src/bank-files/payment-file/file.ts'
import { addRemitter } from '../../src/integrations/remitters.sql.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { readBack } from '../../src/payment-files/read-back.ts'
import { readFolder } from '../../src/statements/import.ts'
import { TEST_SECRETS } from '../support/bank-details.ts'
import { accepted, PROFILE } from '../support/bank-files.ts'
import { SILENT } from '../support/bank-setup.ts'
import { createBankWorld } from '../support/bank-world.ts'
import type { Random } from '../support/random.ts'
import { type ReadPaymentFile, readPaymentFile } from '../support/read-payment-file.ts'
import { withoutGuards } from '../support/without-guards.ts'
import { FIRST_DAY, type Paper } from './account.ts'
import { REGISTERED } from './bank.ts'
import type { Owner } from './payments.ts'
import { createRestorableDatabase } from './restorable.ts'

type Order = { kind: 'mint' | 'redeem'; referenceId: string; amount: string }

export type Service = Awaited<ReturnType<typeof createService>>

export async function createService(random: Random, say: (what: string) => void) {
  const db = await createRestorableDatabase()
  const world = await createBankWorld(db)
  const { integrationId, folders } = world
  await db.transaction((tx) => addRemitter(tx, TEST_SECRETS, { integrationId, account: REGISTERED.account }))
  const clocks = { now: () => world.clock.now, databaseNow: async () => world.clock.now }
  const reader = { ...world.importDeps, ...clocks, folder: world.folder, minAgeMs: 0, logger: SILENT }
  const owners = new Map<string, Owner>()
  const neverOut = new Set<string>()
  const orders: Order[] = []
  const papers: Paper[] = []
  let ticks = 0
  let wasFull = false

  async function settle({ kind, referenceId, amount }: Order): Promise<string | undefined> {
    if (kind === 'mint') {
      await world.settledMint(amount, { referenceId })
      return undefined
    }
    const { payoutId } = await world.burntRedeem(amount, { referenceId })
    // The database's clock is today; the bank's days are before it.
    await withoutGuards(db, (tx) =>
      tx.query('update payouts set created_at = $2::date where payout_id = $1', [payoutId, FIRST_DAY]),
    )
    return payoutId
  }

  /** Whose payments the rail was asked for. */
  async function noteOwners(): Promise<void> {
    const rows = await db.query<{ endToEndId: string; payoutId: string; attempt: number; referenceId: string }>(
      `select a.end_to_end_id as "endToEndId", a.payout_id as "payoutId", a.attempt, o.reference_id as "referenceId"
       from payout_attempts a join payouts p using (payout_id) join orders o using (order_id)`,
    )
    for (const { endToEndId, payoutId, attempt, referenceId } of rows)
      owners.set(endToEndId, { payoutId, name: `${referenceId}/${attempt}` })
  }

  /** Files what waits. @param failsAt the operation on files from which on the disk is full */
  async function file(failsAt?: number): Promise<void> {
    wasFull = false
    try {
      await fileWaiting(world.filingDeps(failsAt === undefined ? fs : fullAfter(failsAt)))
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error
      wasFull = true
      say('the disk was full')
    }
  }

  async function pay(): Promise<void> {
    await db.query(`update payouts set next_attempt_at = now() where status = 'queued'`)
    await world.payDue(random.chance(0.9))
    await noteOwners()
    if (random.chance(0.8)) await file(random.chance(0.25) ? random.between(1, 40) : undefined)
  }

  const put = (name: string, text: string) => fs.writeFile(path.join(folders.in, name), text)
  async function readIn(): Promise<void> {
    for (let round = 0; round < 6 && (await readFolder(reader)); round += 1);
  }
  async function readAllAgain(): Promise<void> {
    for (const { name, text } of papers) await put(name, text)
    await readIn()
  }

  return {
    db,
    world,
    integrationId,
    pay,
    file,
    ownerOf: (endToEndId: string) => owners.get(endToEndId),
    /** Whether the disk was full when payments were filed last. */
    hadFullDisk: () => wasFull,
    /** Whether the folder says of a payment that its file never went out. */
    isNeverOut: (endToEndId: string) => neverOut.has(endToEndId),
    /** @param isLate after the day's last cut-off, not before the first */
    setDay(day: string, isLate = false): void {
      ticks += 1
      world.clock.now = new Date(Date.parse(`${day}T${isLate ? '12' : '01'}:00:00Z`) + ticks * 1_000)
    },

    /** A mint or a redeem that the chain has settled. */
    async order(): Promise<void> {
      const referenceId = `life-order-${String(orders.length).padStart(4, '0')}`
      const kind = random.chance(0.75) ? 'redeem' : 'mint'
      const order: Order = { kind, referenceId, amount: random.pick(['10', '10', '25', '12000.5']) }
      orders.push(order)
      await settle(order)
    },

    /** Files that the bank's transport takes away. Some it leaves for another day. */
    async handOver(): Promise<ReadPaymentFile[]> {
      const taken: ReadPaymentFile[] = []
      for (const name of (await fs.readdir(folders.out)).sort()) {
        if (!name.endsWith('.xml') || name.startsWith('.') || random.chance(0.2)) continue
        const bytes = await fs.readFile(path.join(folders.out, name))
        await fs.rename(path.join(folders.out, name), path.join(folders.out, 'taken', name))
        taken.push(accepted(readPaymentFile(new Uint8Array(bytes), PROFILE)))
      }
      return taken
    },

    /** The bank's files come in, some of them twice. */
    async take(come: readonly Paper[]): Promise<void> {
      papers.push(...come)
      for (const { name, text } of come) {
        await put(name, text)
        if (random.chance(0.1)) await put(`again-${name}`, text)
      }
      await readIn()
    },

    /** Remembers where it was, for `restore`. */
    backUp: async () => ({ copy: await db.backUp(), orders: orders.length }),

    /**
     * Puts the database back, and does what the runbook says. The chain tells of the orders since; whether their payouts were paid
     * is to be asked first. @param redo what operators had said since and say again before anything else
     * @param isEarly the bank's files are read before the folder is read back, too
     */
    async restore(backup: Backup, redo: () => Promise<void>, isEarly: boolean): Promise<void> {
      await db.restore(backup.copy)
      await redo()
      for (const order of orders.slice(backup.orders)) {
        const payoutId = await settle(order)
        if (payoutId !== undefined)
          await db.query('update payouts set ask_first = true where payout_id = $1', [payoutId])
      }
      if (isEarly) await readAllAgain()
      await pay()
      const { files, problems } = await readBack(world.filingDeps())
      if (problems.length > 0) throw new Error(`read-back: ${problems.join('; ')}`)
      for (const { messageId, wentOut } of files) {
        if (wentOut) continue
        const bytes = await fs.readFile(path.join(folders.kept, `${messageId}.xml`))
        const kept = accepted(readPaymentFile(new Uint8Array(bytes), PROFILE))
        for (const { endToEndId } of paymentsOf(kept)) neverOut.add(endToEndId)
      }
      await readAllAgain()
    },
    close: () => world.close(),
  }
}

export type Backup = { copy: number; orders: number }

class DiskFullError extends Error {
  readonly code = 'ENOSPC'
}

/** File operations of which only so many succeed. */
function fullAfter(operations: number): FileOps {
  let done = 0
  return new Proxy<FileOps>(fs, {
    get(target, name) {
      const operation = Reflect.get(target, name)
      if (typeof operation !== 'function') return operation
      return async (...given: unknown[]) => {
        done += 1
        if (done >= operations) throw new DiskFullError('the disk is full')
        return operation(...given)
      }
    },
  })
}
