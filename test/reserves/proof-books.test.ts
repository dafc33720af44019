// engine: postgres; both in test:long
/** A proof of reserves is of one moment: what a statement shows is either booked or not on it. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { proveReserves } from '../../src/reserves/prover.ts'
import { coverOf } from '../../src/reserves/statement.ts'
import { bookLines } from '../../src/statements/book.ts'
import { recordFile } from '../../src/statements/record.ts'
import { bytesOf } from '../support/bank-files.ts'
import { type BankWorld, createBankWorld } from '../support/bank-world.ts'
import { someBank } from '../support/statements.ts'

const worlds: BankWorld[] = []
after(async () => {
  for (const world of worlds) await world.close()
})

const KEY = new Uint8Array(32).fill(0x5a)

for (const fate of ['paid', 'returned'] as const) {
  test(`nothing is proven while a payment that was ${fate} is on a statement and not booked`, async () => {
    const world = await createBankWorld()
    worlds.push(world)
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
