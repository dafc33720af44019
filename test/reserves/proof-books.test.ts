// engine: postgres; both in test:long
/** A proof of reserves is of one moment: what a statement shows is either booked or not on it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Hex } from 'viem'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { entriesOfSettled } from '../../src/ledger/postings.ts'
import { type ProvenChain, proveReserves } from '../../src/reserves/prover.ts'
import { coverOf } from '../../src/reserves/statement.ts'
import { bookLines } from '../../src/statements/book.ts'
import { recordFile } from '../../src/statements/record.ts'
import { bytesOf } from '../support/bank-files.ts'
import { createBankWorlds } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'
import { withoutGuards } from '../support/without-guards.ts'

const worlds = createBankWorlds()
after(() => worlds.close())

const KEY = new Uint8Array(32).fill(0x5a)

for (const fate of ['paid', 'returned'] as const) {
  test(`nothing is proven while a payment that was ${fate} is on a statement and not booked`, async () => {
    const world = await worlds.open()
    const cover = async () => {
      const proof = await proveReserves({ db: world.db, chains: [], key: KEY })
      if (proof === undefined) return undefined
      const { availableMicro, owedMicro } = coverOf(proof)
      return availableMicro - owedMicro
    }
    const bank = someBank({ fateOf: () => fate })
    await world.importXml(bank.closeDay(), 'opening.xml')
    await world.burntRedeem('250')
    const before = await cover()
    await world.payDue()
    assert.equal(await cover(), before, 'it is on its way')
    const { files } = await world.file()
    for (const messageId of files) assert.equal(bank.receive(await world.outFile(messageId)).result, 'taken')
    bank.deposit(100n, { name: 'P', account: '12345' }, 'nobody knows')
    await recordFile(world.importDeps, { name: 'statement.xml', bytes: bytesOf(bank.closeDay()) })
    assert.equal(await cover(), undefined)
    await bookLines(world.importDeps)
    assert.equal(await cover(), (before ?? 0n) + 1_000_000n)
    bank.deposit(100n, { name: 'P', account: '12345' }, 'nobody knows')
    await recordFile(world.importDeps, { name: 'later.xml', bytes: bytesOf(bank.closeDay()) })
    assert.equal(await cover(), (before ?? 0n) + 2_000_000n, 'what names no payment of ours waits for nobody')
  })
}

/** A payment that the bank has carried out, and whether anything is proven. */
async function paidPayment() {
  const world = await worlds.open()
  const bank = someBank({ fateOf: () => 'paid' })
  await world.importXml(bank.closeDay(), 'opening.xml')
  await world.burntRedeem('250')
  await world.payDue()
  const { files } = await world.file()
  bank.deposit(100n, { name: 'P', account: '12345' }, 'nobody knows')
  const closed = bank.closeDay()
  for (const messageId of files) assert.equal(bank.receive(await world.outFile(messageId)).result, 'taken')
  const record = (xml: string, name: string) => recordFile(world.importDeps, { name, bytes: bytesOf(xml) })
  const isProven = async () => (await proveReserves({ db: world.db, chains: [], key: KEY })) !== undefined
  return { world, bank, closed, record, isProven }
}

test('a payment on a statement that waits for the one before keeps nobody from proving: neither counts yet', async () => {
  const { bank, closed, record, isProven } = await paidPayment()
  await record(bank.closeDay(), 'second.xml')
  assert.equal(await isProven(), true)
  await record(closed, 'first.xml')
  assert.equal(await isProven(), false)
})

test('a payment of an attempt that another has followed is one of ours as well', async () => {
  const { world, bank, closed, record, isProven } = await paidPayment()
  await record(closed, 'first.xml')
  await record(bank.closeDay(), 'second.xml')
  await withoutGuards(world.db, (tx) => tx.query(`update payouts set end_to_end_id = 'ANOTHERPAYMT'`))
  assert.equal(await isProven(), false)
})

test('coin that is burnt while a chain is read is not owed in that proof: the block that is stated has it still', async () => {
  const world = await worlds.open()
  let isBurning = false
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const chain: ProvenChain = {
    config: { chainId: 1, coin: { address: `0x${'cd'.repeat(20)}` } },
    reader: {
      async finalSupply() {
        if (isBurning) await world.burntRedeem('250')
        return { blockNumber: 9n, blockHash: hash, supplyMicro: 5n, lastBatchId: 0n }
      },
    },
  }
  const payable = async () => (await proveReserves({ db: world.db, chains: [chain], key: KEY }))?.payableMicro
  const before = await payable()
  isBurning = true
  assert.equal(await payable(), before)
  isBurning = false
  assert.equal(await payable(), String(BigInt(before ?? 0) + 250_000_000n))
})

test('nothing is proven without a chain on which the books have coin, until it is empty', async () => {
  const world = await worlds.open()
  const hash: Hex = `0x${'ab'.repeat(32)}`
  const chainOf = (chainId: number): ProvenChain => ({
    config: { chainId, coin: { address: `0x${'cd'.repeat(20)}` } },
    reader: { finalSupply: async () => ({ blockNumber: 9n, blockHash: hash, supplyMicro: 5n, lastBatchId: 0n }) },
  })
  const book = (source: string, moved: { minted?: bigint; burnt?: bigint }) => {
    const linesOf = (amountMicro: bigint | undefined) =>
      amountMicro === undefined
        ? []
        : [{ integrationId: 'int_a', amountMicro, feeMicro: 0n, payoutSen: amountMicro / 10_000n }]
    const settled = { minted: linesOf(moved.minted), burnt: linesOf(moved.burnt) }
    const entries = entriesOfSettled({ chainId: 2, source, effectiveAt: new Date(), ...settled })
    return world.db.transaction((tx) => recordEntries(tx, entries))
  }
  const proven = async (...chains: ProvenChain[]) =>
    (await proveReserves({ db: world.db, chains, key: KEY }))?.supplies.map(({ chainId }) => chainId)
  await book('batch/2/1', { minted: 7_500_000n })
  await assert.rejects(proven(chainOf(1)), {
    name: 'ChainUnreadableError',
    message: 'the books have 7.5 coin on chain 2, which the chains file does not name',
  })
  assert.deepEqual(await proven(chainOf(1), chainOf(2)), [1, 2])
  await book('batch/2/2', { burnt: 7_500_000n })
  assert.deepEqual(await proven(chainOf(1)), [1])
})
