/** Settled mints, burnt redeems on their way through the rail of bank files, and a bank that answers with files. */
import * as nodeFs from 'node:fs/promises'
import path from 'node:path'
import { type FileOps, foldersOf, prepareFolders } from '../../src/bank-files/folder/layout.ts'
import type { Queryable } from '../../src/db/database.ts'
import { readBalances } from '../../src/ledger/balances.sql.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { entriesOfSettled } from '../../src/ledger/postings.ts'
import { SEN_IN_MICRO } from '../../src/money.ts'
import { applyReport } from '../../src/payment-files/apply-report.ts'
import { fileWaiting } from '../../src/payment-files/filing.ts'
import { createBankFilesRail } from '../../src/payment-files/rail.ts'
import type { FilingDeps } from '../../src/payment-files/run.ts'
import { findTogether } from '../../src/payment-files/together.ts'
import { askRail } from '../../src/payouts/ask.ts'
import { queuePayouts } from '../../src/payouts/queue.sql.ts'
import type { Rail } from '../../src/payouts/rail.ts'
import { type ImportDeps, importFile } from '../../src/statements/import.ts'
import { giveBank, TEST_SECRETS } from './bank-details.ts'
import { bytesOf } from './bank-files.ts'
import { ALL_OVER, NOW, PAYMENTS, SILENT } from './bank-setup.ts'
import { addBatchRow, someBatchId } from './batch-rows.ts'
import { claimPayouts } from './claim-payouts.ts'
import type { TestDatabase } from './database.ts'
import { CHAIN_ID, createOrdersFixture, MICRO } from './orders.ts'
import { SETUP } from './statements.ts'
import { temporaryFolder } from './temp.ts'
import { withoutGuards } from './without-guards.ts'

export type BankWorld = Awaited<ReturnType<typeof createBankWorld>>

export async function createBankWorld(given?: TestDatabase) {
  const orders = await createOrdersFixture(undefined, given)
  const { db, customerId, integrationId } = orders
  await giveBank(db, { bic: 'CIBBMYKL', account: '8001234567', name: 'Aminah binti Ahmad' })
  const folder = temporaryFolder('bank')
  await prepareFolders(nodeFs, folder)
  const clock = { now: NOW }
  const now = () => clock.now
  // The bank's days go on while the clock of a test stands still: its files are read when they are over.
  const read = () => (clock.now === NOW ? ALL_OVER : clock.now)
  const errors: object[] = []
  const logger = { error: (fields: object, message: string) => void errors.push({ ...fields, message }) }
  const importDeps: ImportDeps = {
    db,
    now: read,
    databaseNow: async () => read(),
    secrets: TEST_SECRETS,
    logger: SILENT,
    setup: SETUP,
    applyReport: (tx, report) =>
      applyReport({ tx, secrets: TEST_SECRETS, fs: nodeFs, folder, logger }, PAYMENTS, report),
    findTogether: (tx, debit) => findTogether({ tx, secrets: TEST_SECRETS, fs: nodeFs, folder }, PAYMENTS, debit),
  }
  const filingDeps = (fs: FileOps = nodeFs): FilingDeps => ({
    db,
    secrets: TEST_SECRETS,
    fs,
    folder,
    setup: PAYMENTS,
    logger: SILENT,
    now,
    databaseNow: async () => now(),
  })

  async function settle(direction: 'mint' | 'redeem', body: Record<string, unknown>) {
    await orders.call(direction, body)
    const batchId = someBatchId()
    const [row] = await withoutGuards(db, (tx) =>
      tx.query<{ order_id: bigint; amount_micro: bigint; fee_micro: bigint; reference_id: string }>(
        `update orders set status = $3, batch_id = $2, batch_index = 0, tx_hash = sha256('1'), block_number = 50
         where reference_id = $1 returning order_id, amount_micro, fee_micro, reference_id`,
        [String(body.referenceId), batchId, direction === 'mint' ? 'completed' : 'processing'],
      ),
    )
    if (row === undefined) throw new Error('no order')
    const { order_id: orderId, amount_micro: amountMicro, fee_micro: feeMicro, reference_id: referenceId } = row
    await addBatchRow(db, { chainId: CHAIN_ID, batchId, status: 'final', orderIds: [orderId] })
    return { orderId, amountMicro, feeMicro, referenceId, batchId }
  }

  /** The database's clock is today, which the bank's days are before. */
  async function asAsked(at: Date): Promise<void> {
    await withoutGuards(db, (tx) =>
      tx.query('update payout_attempts set asked_at = $1::timestamptz where asked_at > $1::timestamptz', [at]),
    )
  }

  return {
    ...orders,
    folder,
    folders: foldersOf(folder),
    clock,
    importDeps,
    filingDeps,
    /** What was logged as an error about status reports. */
    errors,

    /** A mint whose coin exists and whose ringgit the bank has not seen. */
    async settledMint(amountMyr: string, body: Record<string, unknown> = {}) {
      const mint = await settle('mint', orders.mintBody({ amountMyr, ...body }))
      const { batchId, amountMicro, feeMicro } = mint
      const minted = [{ integrationId, amountMicro, feeMicro }]
      const source = `batch/${CHAIN_ID}/${batchId}`
      const entries = entriesOfSettled({ chainId: CHAIN_ID, source, effectiveAt: NOW, minted, burnt: [] })
      await db.transaction((tx) => recordEntries(tx, entries))
      return mint
    },

    /** A redeem that was burnt; its payout is queued. */
    async burntRedeem(amountCoin: string, body: Record<string, unknown> = {}) {
      const bankReference = `INV ${amountCoin}`
      const redeem = await settle('redeem', orders.redeemBody({ amountCoin, bankReference, ...body }))
      const { orderId, batchId, amountMicro, feeMicro } = redeem
      await db.transaction(async (tx) => {
        const paid = await queuePayouts(tx, [{ orderId, customerId, amountMicro }])
        const burnt = [{ integrationId, amountMicro, feeMicro, payoutSen: paid.get(orderId) ?? 0n }]
        const source = `batch/${CHAIN_ID}/${batchId}`
        await recordEntries(tx, entriesOfSettled({ chainId: CHAIN_ID, source, effectiveAt: NOW, minted: [], burnt }))
      })
      const [row] = await db.query<{ payout_id: string; end_to_end_id: string }>(
        'select payout_id, end_to_end_id from payouts where order_id = $1',
        [orderId],
      )
      return { ...redeem, payoutId: row?.payout_id ?? '', endToEndId: row?.end_to_end_id ?? '' }
    },

    /** Asks the rail about every due payout, once. `hears`: whether its answer comes back. */
    async payDue(hears = true) {
      const files = createBankFilesRail(filingDeps())
      const initiate: Rail['initiate'] = async (instruction) => {
        const answer = await files.initiate(instruction)
        return hears ? answer : { result: 'unknown', reason: 'The process ended.' }
      }
      const rail = { ...files, initiate }
      const claimed = await claimPayouts(db, {
        rail: rail.name,
        limit: 100,
        claimMs: 60_000,
        mayAsk: true,
        askedBefore: 100,
      })
      for (const one of claimed) await askRail({ db, rail, secrets: TEST_SECRETS, logger: SILENT as never }, one)
      await asAsked(now())
      return claimed.length
    },

    file: () => fileWaiting(filingDeps()),

    /** The bytes of a payment file that was put out. */
    outFile: (messageId: string) => nodeFs.readFile(path.join(folder, 'out', `${messageId}.xml`)),

    /** `also` is done in the transaction that records it. */
    importXml: (xml: string, name = 'file.xml', also: (tx: Queryable) => Promise<void> = async () => {}) =>
      importFile(importDeps, { name, bytes: bytesOf(xml), also }),

    async payoutStatus(payoutId: string): Promise<string> {
      const [row] = await db.query<{ status: string }>('select status from payouts where payout_id = $1', [payoutId])
      return row?.status ?? 'none'
    },

    /** What an account of the books comes to, in sen. */
    async balanceSen(account: string): Promise<bigint> {
      const balances = await readBalances(db)
      const found = balances.find(({ kind, owner }) => `${kind}:${owner}` === account)
      return (found?.balanceMicro ?? 0n) / SEN_IN_MICRO
    },

    amountSen: (micro: bigint) => micro / (MICRO / 100n),
  }
}

/** Worlds that are closed together. */
export function createBankWorlds() {
  const worlds: BankWorld[] = []
  return {
    async open(given?: TestDatabase): Promise<BankWorld> {
      const world = await createBankWorld(given)
      worlds.push(world)
      return world
    },
    async close(): Promise<void> {
      for (const world of worlds.splice(0)) await world.close()
    },
  }
}
