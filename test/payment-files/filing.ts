/** Payment files that are stored and cannot be put out, what is in one, and payouts that are changed meanwhile. */
import assert from 'node:assert/strict'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import type { FileOps } from '../../src/bank-files/folder/layout.ts'
import { paymentsOf } from '../../src/bank-files/payment-file/file.ts'
import type { Queryable } from '../../src/db/database.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { accepted, PROFILE } from '../support/bank-files.ts'
import type { BankWorld } from '../support/bank-world.ts'
import { readPaymentFile } from '../support/read-payment-file.ts'
import { withoutGuards } from '../support/without-guards.ts'

/** File operations that make a file and cannot write into it. */
export function onFullDisk(): FileOps {
  return {
    ...fs,
    async open(...args) {
      const handle = await fs.open(...args)
      if (args[1] === 'wx') handle.writeFile = () => Promise.reject(new Error('the disk is full'))
      return handle
    },
  }
}

export const idsIn = async (world: BankWorld, messageId: string) =>
  paymentsOf(accepted(readPaymentFile(await world.outFile(messageId), PROFILE))).map(({ endToEndId }) => endToEndId)

/** A file that was stored and kept, and not put out. */
export async function storedOnly(world: BankWorld): Promise<void> {
  await world.payDue()
  const link: typeof fs.link = async (from, to) => {
    if (path.dirname(String(to)) === world.folders.out) throw new Error('the disk is full')
    await fs.link(from, to)
  }
  await assert.rejects(fileWaiting({ ...world.filingDeps(), fs: { ...fs, link } }), /the disk is full/)
}

export const setPayout = (world: BankWorld, payoutId: string, set: string) =>
  withoutGuards(world.db, (tx) => tx.query(`update payouts set ${set} where payout_id = $1`, [payoutId]))

/** As in a backup of before the payouts were sent: no rail had been asked for them. */
export async function forgetSent(tx: Queryable): Promise<void> {
  for (const table of ['filed_payments', 'payment_files', 'payout_attempts']) await tx.query(`delete from ${table}`)
  await tx.query(`delete from ledger_entries where reference like 'payout/%'`)
  await tx.query(
    `update payouts set status = 'queued', rail = null, rail_reference = null, times_asked = 0, next_attempt_at = now(), claimed_until = null`,
  )
}
