// engine: postgres; both in test:long
/** The proof of reserves while a chain is lost: its coin stays in it as owed, under a version that whoever knows of none takes for no proof. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { privateKeyToAddress } from 'viem/accounts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { type ProvenChain, proveReserves } from '../../src/reserves/prover.ts'
import { coverOf, type SignedReserves, signerOf, typedDataOf } from '../../src/reserves/statement.ts'
import { wallet } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { bankSays } from '../support/reserve.ts'
import { atLeast } from '../support/wait-for.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = privateKeyToAddress(`0x${'5a'.repeat(32)}`)
const COMMAND = path.join(import.meta.dirname, '../../scripts/reserves-verify.ts')
const CHAIN = 31_337

let s: Scenario
let api: TestApi
let nowMs = Date.now()
before(async () => {
  s = await startScenario({})
  api = await startTestApi({ db: s.db, realChain: s.chain, clock: () => new Date(nowMs) })
  await s.settle()
  const [order] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: wallet(1) })
  await s.until(order, 'completed')
  await bankSays(s.db, 1_000_000_000n, { daysAgo: 1 })
})
after(async () => {
  await api.close()
  await s.end()
})

const prove = (chain: ProvenChain) => proveReserves({ db: s.db, chains: [chain], key: KEY })
const unreadable = async (): Promise<never> => {
  throw new ChainUnreadableError('no node answers')
}
const gone = (): ProvenChain => ({ config: s.config, reader: { finalSupply: unreadable } })
const lose = () =>
  s.db.query(`insert into lost_chains (chain_id, reason, lost_by) values ($1, 'its nodes are switched off', 'A')`, [
    CHAIN,
  ])

async function verify(...args: string[]) {
  nowMs += 5_000
  const child = spawn(process.execPath, [COMMAND, api.baseUrl, '--signer', SIGNER, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: atLeast(60_000),
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

test('a chain that is lost stops no proof: its coin is in it as the books have it, marked, and nobody is asked for it', async () => {
  await assert.rejects(prove(gone()), ChainUnreadableError)
  const before = await prove(s.chain)
  assert.deepEqual([before?.supplies.length, before?.lost], [1, undefined])
  await lose()
  const proof = (await prove(gone())) ?? assert.fail()
  const { lostAt, ...lost } = proof.lost?.[0] ?? assert.fail()
  assert.deepEqual(
    [proof.supplies, lost],
    [[], { chainId: CHAIN, coin: s.config.coin.address, supplyMicro: '5000000' }],
  )
  assert.match(lostAt, /^20.*:\d\d\.000Z$/)
  assert.equal(
    coverOf(proof).owedMicro,
    coverOf(before ?? assert.fail()).owedMicro,
    'its holders are owed it as before',
  )
  assert.equal(await signerOf(proof), SIGNER)
})

test('what a settler had said that others burnt there lowers nothing: no node shows it, and it would hide what is owed, or keep all from being proven', async () => {
  const proven = async () => (await prove(gone()))?.lost?.map(({ supplyMicro }) => supplyMicro)
  for (const amountMicro of [-4_000_000n, -9_000_000n]) {
    await s.db.query(
      `insert into foreign_movements (chain_id, kind, details, after_block, seen_block, amount_micro, pauses)
       values ($1, 'supply', 'burnt outside', 1, 2, $2, false)`,
      [CHAIN, amountMicro],
    )
    await s.db.query('update foreign_movements set ended_at = now()')
    assert.deepEqual(await proven(), ['5000000'])
  }
  await s.db.query(`update foreign_movements set amount_micro = 2000000 where chain_id = $1 and kind = 'supply'`, [
    CHAIN,
  ])
  assert.deepEqual(await proven(), ['9000000'], 'what they have made is owed to whoever has it')
  await s.db.query('delete from foreign_movements')
})

test('books that have less than no coin there keep nothing else from being proven', async () => {
  const book = (reference: string, amountMicro: bigint) =>
    s.db.transaction((tx) =>
      recordEntries(tx, [
        {
          reference,
          effectiveAt: new Date(),
          lines: [
            { account: `coins:${CHAIN}`, amountMicro },
            { account: 'own_funds:main', amountMicro: -amountMicro },
          ],
        },
      ]),
    )
  await book('less', 9_000_000n)
  assert.equal((await prove(gone()))?.lost?.[0]?.supplyMicro, '0')
  await book('more', -9_000_000n)
})

test('taken out of the chains file, too', async () => {
  const proof = await proveReserves({ db: s.db, chains: [], key: KEY })
  assert.deepEqual(
    proof?.lost?.map(({ supplyMicro }) => supplyMicro),
    ['5000000'],
  )
})

test('whoever knows of no lost chains, or is shown the proof without them, finds another signer', async () => {
  const proof = (await prove(gone())) ?? assert.fail()
  assert.equal(typedDataOf(proof).domain?.version, '2')
  const { lost: _, ...asBefore } = proof
  assert.notEqual(await signerOf(asBefore), SIGNER)
  const [lost] = proof.lost ?? []
  const less: SignedReserves = { ...proof, lost: lost === undefined ? [] : [{ ...lost, supplyMicro: '1' }] }
  assert.notEqual(await signerOf(less), SIGNER)
  assert.notEqual(await signerOf({ ...proof, lost: [] }), SIGNER)
})

test('a stranger verifies it who knows that the chain is lost; one who does not, or has a node of it, is told', async () => {
  await prove(gone())
  const known = await verify('--lost', String(CHAIN))
  assert.deepEqual([known.code, known.stderr], [0, ''])
  assert.match(
    known.stdout,
    /chain 31337, coin 0x\w+, lost since 20.*Z: 5 coin, as the issuer has it, which no node can show/,
  )
  assert.match(known.stdout, /RM 1000 stand behind RM 5\n/)
  const coin = await verify('--lost', String(CHAIN), '--coin', `${CHAIN}:0x${'12'.repeat(20)}`)
  assert.match(coin.stderr, /^WRONG: On chain 31337 it says the supply of 0x/)
  const [rpcUrl = ''] = s.config.rpcUrls
  const other = await verify('--rpc', rpcUrl)
  assert.equal(other.code, 1)
  assert.match(other.stderr, /WRONG: It calls chain 31337 lost, and a node of it answers\./)
  assert.match(other.stderr, /WRONG: It calls chain 31337 lost: if you know that it is, name it with --lost 31337\./)
  assert.deepEqual([(await verify('--lost', 'x')).code, (await verify()).code], [2, 2])
  nowMs += 5_000
  const page = await fetch(`${api.baseUrl}/reserves`, { headers: { accept: 'text/html' } })
  assert.match(await page.text(), /gone for good, as the books have it:<\/p>.*<td>31337<\/td>.*<td>5<\/td>/s)
})

test('whoever knows that a chain is lost is told where the proof says nothing of it: nobody else would miss that coin', async () => {
  await prove(gone())
  const said = await verify('--lost', String(CHAIN), '--lost', '5')
  assert.deepEqual([said.code, said.stderr], [1, 'WRONG: It says nothing of the coin on chain 5.\n'])
})

test('found again, it is read as any other', async () => {
  await s.db.query('delete from lost_chains')
  await assert.rejects(prove(gone()), ChainUnreadableError)
  const proof = await prove(s.chain)
  assert.deepEqual([proof?.supplies[0]?.supplyMicro, proof?.lost], ['5000000', undefined])
})
