// engine: pglite
/** The proof of reserves, served by the real API over a real chain, and checked by a stranger's command. */

import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { getAddress, type Hex, numberToHex } from 'viem'
import { privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { addDays, BANK_TIME_ZONE, localTime } from '../../src/bank-files/day.ts'
import { ChainUnreadableError } from '../../src/chain-errors.ts'
import type { Param } from '../../src/db/database.ts'
import { recordEntries } from '../../src/ledger/entries.sql.ts'
import { storeProof } from '../../src/reserves/proofs.sql.ts'
import { createProver, type ProvenChain, proveReserves } from '../../src/reserves/prover.ts'
import { type SignedReserves, type StatedAccount, typedDataOf } from '../../src/reserves/statement.ts'
import { type ToVerify, verifyProof } from '../../src/reserves/verify.ts'
import { silent, wallet } from '../settlement/fixture.ts'
import { type Scenario, startScenario } from '../settlement/scenario.ts'
import { startTestApi, type TestApi } from '../support/api.ts'
import { bankNotifies, bankSays } from '../support/reserve.ts'
import { atLeast, waitFor } from '../support/wait-for.ts'

const KEY = new Uint8Array(32).fill(0x5a)
const SIGNER = privateKeyToAddress(`0x${'5a'.repeat(32)}`)
const COMMAND = path.join(import.meta.dirname, '../../scripts/reserves-verify.ts')
const BASE = 1_000_000_000n

let s: Scenario
let api: TestApi
let liar: Server
let lie: (body: Record<string, unknown>) => unknown
let liarUrl: string
let nowMs = Date.now()

before(async () => {
  s = await startScenario({})
  api = await startTestApi({ db: s.db, realChain: s.chain, clock: () => new Date(nowMs) })
  const answerWithLie = async (response: ServerResponse) => {
    const body = await (await fetch(`${api.baseUrl}/reserves`)).json()
    response.end(JSON.stringify(lie(body as Record<string, unknown>)))
  }
  liar = createServer((_request, response) => void answerWithLie(response)).listen(0, '127.0.0.1')
  await once(liar, 'listening')
  liarUrl = `http://127.0.0.1:${(liar.address() as AddressInfo).port}/reserves`
})
after(async () => {
  liar.close()
  await api.close()
  await s.end()
})

const proveFor = async (chain: ProvenChain): Promise<SignedReserves> =>
  (await proveReserves({ db: s.db, chains: [chain], key: KEY })) ?? assert.fail('nothing was proven')
const prove = () => proveFor(s.chain)
const get = async (accept = 'application/json') => {
  nowMs += 5_000
  const response = await fetch(`${api.baseUrl}/reserves`, { headers: { accept } })
  return { status: response.status, headers: response.headers, body: await response.text() }
}

async function hashOf(blockNumber: bigint): Promise<Hex> {
  return ((await s.rpc('eth_getBlockByNumber', numberToHex(blockNumber), false)) as { hash: Hex }).hash
}

async function verify(url: string, ...args: string[]) {
  const child = spawn(process.execPath, [COMMAND, url, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: atLeast(60_000),
  })
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code, stdout, stderr }
}

test('before the first proof there is none; then it says what chain, bank and books say, and a stranger can check it', async () => {
  assert.equal((await get()).status, 503)
  await s.settle()
  const [order] = await s.place({ direction: 'MINT', amountMicro: 5_000_000n, to: wallet(1) })
  await s.until(order, 'completed')
  await bankSays(s.db, BASE, { daysAgo: 1 })
  await bankNotifies(s.db, 30_000n)
  const effectiveAt = new Date()
  const lines = [
    { account: 'mint_receivable:int_a', amountMicro: 12_345n },
    { account: 'redeem_payable:int_a', amountMicro: -2_345n },
    { account: 'payout_clearing:http', amountMicro: -10_000n },
  ] as const
  await s.db.transaction((tx) => recordEntries(tx, [{ reference: 'some', effectiveAt, lines }]))
  await prove()
  const { status, headers, body } = await get()
  const said = JSON.parse(body) as SignedReserves & { ok: boolean }
  assert.deepEqual([status, said.ok, said.signer], [200, true, SIGNER])
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  const [supply] = said.supplies
  assert.deepEqual([supply?.chainId, supply?.coin, supply?.supplyMicro], [31_337, s.config.coin.address, '5000000'])
  assert.equal(supply?.blockHash, await hashOf(BigInt(supply?.blockNumber ?? 0)))
  assert.deepEqual(
    said.statements.map(({ closedOn: _, ...rest }) => rest),
    [{ account: 'main', closingMicro: String(BASE), creditsSinceMicro: '30000' }],
  )
  assert.deepEqual([said.payableMicro, said.residualMicro, said.clearingMicro], ['2345', '0', '10000'])
  const checked = await verify(api.baseUrl, '--signer', SIGNER, '--rpc', s.config.rpcUrls[0] ?? '')
  assert.deepEqual([checked.code, checked.stderr], [0, ''])
  assert.match(checked.stdout, /RM 1000\.02 stand behind RM 5\.002345\nAll of this was checked\.\n$/)
  const unnamed = await verify(api.baseUrl, '--rpc', s.config.rpcUrls[0] ?? '')
  assert.equal(unnamed.code, 0, unnamed.stderr)
  assert.match(unnamed.stdout, new RegExp(`^signed by ${SIGNER} at 20.*but not whose address has signed it`, 's'))
})

test('where the settler is behind, no block is stated that the books do not have', async () => {
  const { number } = await s.chain.reader.head()
  const deep = number - BigInt(s.config.confirmations) + 1n
  const lookedUpTo = (block: bigint) => s.db.query('update chains set observed_block = $1', [block])
  await lookedUpTo(deep - 1n)
  assert.equal((await prove()).supplies[0]?.blockNumber, String(deep - 1n))
  await lookedUpTo(number)
  assert.equal((await prove()).supplies[0]?.blockNumber, String(deep))
})

test('a page for people says the same, and loads nothing', async () => {
  const { headers, body } = await get('text/html,application/xhtml+xml,*/*;q=0.8')
  assert.equal(headers.get('content-type'), 'text/html; charset=utf-8')
  assert.match(body, /RM 1000\.02 stand behind RM 5\.002345/)
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; style-src 'sha256-/)
  assert.doesNotMatch(body, /<script|src=|href=/)
  assert.match((await get('*/*')).body, /^\{/)
})

test('no chain is read when somebody asks, and the database once in five seconds', async () => {
  const asked = s.chain.reader.head
  s.chain.reader.head = () => Promise.reject(new Error('a chain was read'))
  const query = s.db.query.bind(s.db)
  let queries = 0
  s.db.query = (async (text: string, params?: readonly Param[]) => {
    if (text.includes('reserve_proofs')) queries += 1
    return query(text, params)
  }) as typeof query
  try {
    await get()
    await Promise.all(
      Array.from({ length: 20 }, () => fetch(`${api.baseUrl}/reserves`).then((answer) => answer.text())),
    )
    assert.equal(queries, 1)
    // By a clock that was set back, too.
    nowMs -= 3_600_000
    await (await fetch(`${api.baseUrl}/reserves`)).text()
    assert.equal(queries, 2)
  } finally {
    nowMs += 3_600_000
    s.db.query = query
    s.chain.reader.head = asked
  }
})

test('of an answer without end no more is read than a proof has', async () => {
  const isOver = Promise.withResolvers<void>()
  const endless = createServer((_request, response) => {
    const more = setInterval(() => response.write(Buffer.alloc(256 * 1024, ' ')), 1)
    response.on('close', () => {
      clearInterval(more)
      isOver.resolve()
    })
  }).listen(0, '127.0.0.1')
  await once(endless, 'listening')
  const url = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/reserves`
  try {
    const { problems } = await verifyProof({ url, signer: SIGNER, rpcUrls: [], maxAgeMs: 3_600_000 })
    assert.deepEqual(problems, [`${url} answers with no proof of reserves.`])
    await isOver.promise
  } finally {
    endless.closeAllConnections()
    endless.close()
  }
})

test('a body that was changed, another signer, an old proof, and a chain that nobody asked are told', async () => {
  const rpcUrl = s.config.rpcUrls[0] ?? ''
  const told = async (change: typeof lie, url = rpcUrl) => {
    lie = change
    return (await verifyProof({ url: liarUrl, signer: SIGNER, rpcUrls: [url], maxAgeMs: 3_600_000 })).problems.join(
      '\n',
    )
  }
  const supplies = (changes: object) => (body: Record<string, unknown>) => ({
    ...body,
    supplies: (body.supplies as object[]).map((each) => ({ ...each, ...changes })),
  })
  assert.equal(await told((body) => body), '')
  assert.match(await told((body) => ({ ...body, payableMicro: '0' })), /^It is signed by/)
  const statements = [{ account: 'main', closedOn: '2026-11-20', closingMicro: '99', creditsSinceMicro: '0' }]
  assert.match(await told((body) => ({ ...body, statements })), /signed by[\s\S]*less than what is owed/)
  assert.match(await told(supplies({ supplyMicro: '4000000' })), /signed by[\s\S]*5 coin exist, not 4\./)
  assert.match(await told(supplies({ blockHash: `0x${'ab'.repeat(32)}` })), /has another hash/)
  assert.match(await told(supplies({ chainId: 5 })), /No node was given for chain 5/)
  assert.match(await told((body) => ({ ...body, signature: '0x12' })), /malformed/)
  assert.match(await told(() => ({ ok: true })), /no proof of reserves/)
  assert.match(await told((body) => body, 'http://127.0.0.1:1'), /127\.0\.0\.1:1 does not answer/)
  lie = (body) => ({ ...body, signer: wallet(9) })
  const { stderr, stdout } = await verify('http://127.0.0.1:1', '--rpc', rpcUrl)
  assert.match(stderr, /^WRONG: http:\/\/127\.0\.0\.1:1\/reserves does not answer \(/)
  assert.equal(stdout, '')
  const help = await verify('--help')
  assert.deepEqual([help.code, /--max-age/.test(help.stdout)], [0, true])
  const unnamed = await verifyProof({ url: liarUrl, signer: undefined, rpcUrls: [rpcUrl], maxAgeMs: 3_600_000 })
  assert.deepEqual(unnamed.problems, [`It is signed by ${SIGNER}, not by ${getAddress(wallet(9))}.`])
  const rpc = ['--rpc', rpcUrl]
  const other = await verify(api.baseUrl, '--signer', `0x${'12'.repeat(20)}`, ...rpc)
  assert.deepEqual([other.code, /WRONG: It is signed by .*, not by 0x12/.test(other.stderr)], [1, true])
  await s.db.query(`update reserve_proofs set proof = jsonb_set(proof, '{madeAt}', '"2026-01-01T00:00:00Z"')`)
  nowMs += 5_000
  assert.match((await verify(api.baseUrl, '--signer', SIGNER, ...rpc)).stderr, /too old/)
  assert.equal((await verify(api.baseUrl)).code, 2)
  const mistyped = [
    [['--signer', SIGNER.slice(0, 20), ...rpc], /^--signer must be 0xADDRESS, not 0x/],
    [['--signer', SIGNER, '--rpc', 'rpc.example'], /^--rpc must be the URL of a node, .* not rpc\.example\./],
    [['--signer', SIGNER, '--rpc', 'localhost:8545'], /^--rpc must be the URL of a node/],
    // What opens the node is not shown, as in the log of a job that checks the proof.
    [
      ['--signer', SIGNER, '--rpc', 'wss://me:s3cret@rpc.example/v3/s3cret?key=s3cret'],
      /, not wss:\/\/rpc\.example\.\n/,
    ],
    [['--signer', SIGNER, '--rpc', 'rpc.example/v3/s3cret'], /, not rpc\.example\.\n/],
  ] as const
  for (const [args, says] of mistyped) {
    const { code, stderr: told } = await verify(api.baseUrl, ...args)
    assert.deepEqual([code, says.test(told)], [2, true], told)
  }
})

test('whoever has the key and says less coin than there is, is told by the chain', async () => {
  const finalSupply: ProvenChain['reader']['finalSupply'] = async (notAbove) => ({
    ...(await s.chain.reader.finalSupply(notAbove)),
    supplyMicro: 1n,
  })
  const lying = { ...s.chain, reader: { finalSupply } }
  await proveReserves({ db: s.db, chains: [lying], key: KEY })
  nowMs += 5_000
  const { code, stderr } = await verify(api.baseUrl, '--signer', SIGNER, '--rpc', s.config.rpcUrls[0] ?? '')
  assert.equal(code, 1)
  assert.equal(stderr, 'WRONG: On chain 31337, 5 coin exist, not 0.000001.\n')
})

test('whoever has the key and leaves a chain out, or says the supply of another coin, is told', async () => {
  const check = (...args: string[]) => {
    nowMs += 5_000
    return verify(api.baseUrl, '--signer', SIGNER, '--rpc', s.config.rpcUrls[0] ?? '', ...args)
  }
  await prove()
  const ours = s.config.coin.address
  const known = await check('--coin', `31337:${ours}`)
  assert.deepEqual([known.code, known.stderr], [0, ''])
  assert.ok(known.stdout.includes(`chain 31337, coin ${ours}, block`))
  const [other, elsewhere] = [await check('--coin', `31337:0x${'12'.repeat(20)}`), await check('--coin', `5:${ours}`)]
  assert.deepEqual([other.code, elsewhere.code], [1, 1])
  assert.match(other.stderr, new RegExp(`^WRONG: On chain 31337 it says the supply of ${ours}, not of 0x12`))
  assert.equal(elsewhere.stderr, 'WRONG: It says nothing of the coin on chain 5.\n')
  assert.equal((await check('--coin', ours)).code, 2)
  const stated = { ...(await prove()), supplies: [] }
  const signature = await privateKeyToAccount(`0x${'5a'.repeat(32)}`).signTypedData(typedDataOf(stated))
  await storeProof(s.db, { ...stated, signature })
  const silentOnes = await check()
  assert.deepEqual([silentOnes.code, silentOnes.stderr], [1, 'WRONG: It says nothing of the coin on chain 31337.\n'])
  await prove()
})

test('whoever has the key and says how much coin there was long ago, is told; of an idle chain the newest block counts', async () => {
  const proof = await prove()
  const account = privateKeyToAccount(`0x${'5a'.repeat(32)}`)
  const { number } = await s.chain.reader.head()
  const later = Date.now() + 2 * 3_600_000
  const said = async (blockNumber: bigint) => {
    const [supply] = proof.supplies
    assert.ok(supply !== undefined)
    const [blockHash, supplyMicro] = await Promise.all([
      hashOf(blockNumber),
      s.chain.admin.supply(blockNumber).then(String),
    ])
    const supplies = [{ ...supply, blockNumber: String(blockNumber), blockHash, supplyMicro }]
    const stated = { ...proof, madeAt: new Date(later).toISOString(), supplies }
    const signature = await account.signTypedData(typedDataOf(stated))
    lie = () => ({ ...stated, signature })
    const asked = { url: liarUrl, signer: SIGNER, rpcUrls: s.config.rpcUrls, maxAgeMs: 3_600_000 }
    return (await verifyProof({ ...asked, nowMs: () => later })).problems
  }
  const [problem, ...others] = await said(number - 1n)
  assert.match(
    problem ?? '',
    new RegExp(`^Block ${number - 1n} of chain 31337 is too old: another one followed it at 20`),
  )
  assert.deepEqual(others, [])
  assert.deepEqual(await said(number), [])
})

test('whoever has the key and hides a lack behind less than nothing owed, or an account that is there twice, is told', async () => {
  const proof = await prove()
  const [statement] = proof.statements
  assert.ok(statement !== undefined)
  const said = async (changes: Partial<SignedReserves>) => {
    const stated = { ...proof, ...changes }
    const signature = await privateKeyToAccount(`0x${'5a'.repeat(32)}`).signTypedData(typedDataOf(stated))
    lie = () => ({ ...stated, signature })
    return await verifyProof({ url: liarUrl, signer: SIGNER, rpcUrls: s.config.rpcUrls, maxAgeMs: 3_600_000 })
  }
  const honest = await said({ residualMicro: '-9999' })
  assert.deepEqual(honest.problems, [])
  assert.deepEqual(honest.lines.slice(2), [
    `bank account main, ${statement.closedOn}: RM 1000, and since then RM 0.03`,
    'of that RM 0.01 are on their way out, or perhaps on two accounts',
    'owed for burnt coin: RM 0.002345, and RM -0.009999 in parts of a sen',
    'RM 1000.02 stand behind RM 4.992346',
  ])
  const lies: [Partial<SignedReserves>, string][] = [
    [{ payableMicro: '-1' }, 'It says that less than nothing is owed for burnt coin: RM -0.000001.'],
    [{ residualMicro: '-1000001' }, 'It says that less than nothing is owed in parts of a sen: RM -1.000001.'],
    [{ clearingMicro: '-1' }, 'It says that less than nothing is on its way out: RM -0.000001.'],
    [{ missingMicro: '-1' }, 'It says that less than nothing is owed for coin that is gone: RM -0.000001.'],
    [{ statements: [statement, statement, statement] }, 'It has the bank account main twice.'],
  ]
  for (const [changes, problem] of lies) assert.deepEqual((await said(changes)).problems, [problem])
})

test('money that the bank last spoke of long ago, or on a day that is none or still to come, is told; an empty account may be old', async () => {
  const proof = await prove()
  const [statement] = proof.statements
  assert.ok(statement !== undefined)
  const said = async (changes: Partial<StatedAccount>, asked: Partial<ToVerify> = {}) => {
    const other = { account: 'other', closedOn: statement.closedOn, closingMicro: '1', creditsSinceMicro: '0' }
    const stated = { ...proof, statements: [statement, { ...other, ...changes }] }
    const signature = await privateKeyToAccount(`0x${'5a'.repeat(32)}`).signTypedData(typedDataOf(stated))
    lie = () => ({ ...stated, signature })
    const { rpcUrls } = s.config
    return (await verifyProof({ url: liarUrl, signer: SIGNER, rpcUrls, maxAgeMs: 3_600_000, ...asked })).problems
  }
  const older = bankDay(-8)
  const isOld = (day: string) => [`The statement of other closes ${day}: it does not say what there is today.`]
  for (const closedOn of [bankDay(0), bankDay(-7), bankDay(1)]) assert.deepEqual(await said({ closedOn }), [], closedOn)
  for (const closedOn of [older, '2024-02-29', '1066-10-14', bankDay(3), '2199-12-31', '2026-02-30', 'yesterday', ''])
    assert.deepEqual(await said({ closedOn }), isOld(closedOn))
  // What was notified since an empty statement is money, too, and so is what is owed to the bank.
  for (const sums of [{ closingMicro: '0', creditsSinceMicro: '1' }, { closingMicro: '-1' }])
    assert.deepEqual(await said({ closedOn: older, ...sums }), isOld(older))
  assert.deepEqual(await said({ closedOn: older, closingMicro: '0' }), [])
  assert.deepEqual(await said({ closedOn: older }, { maxStatementAgeMs: 9 * 86_400_000 }), [])
  nowMs += 5_000
  const asked = [api.baseUrl, '--signer', SIGNER, '--rpc', s.config.rpcUrls[0] ?? ''] as const
  assert.equal((await verify(...asked, '--max-statement-age', '0')).code, 2)
  assert.match(
    (await verify(...asked, '--max-statement-age', '0.00001')).stderr,
    /^WRONG: The statement of main closes /,
  )
})

/** A day by the banks' clocks, so many days from today. */
const bankDay = (days: number) => addDays(localTime(BANK_TIME_ZONE, new Date()).day, days)

test('coin that is gone and perhaps owed is said to whoever verifies, and on the page, and is more than the reserve where it is', async () => {
  const said = async (missingMicro: string) => {
    const stated = { ...(await prove()), missingMicro }
    const signature = await privateKeyToAccount(`0x${'5a'.repeat(32)}`).signTypedData(typedDataOf(stated))
    await storeProof(s.db, { ...stated, signature })
    const { body } = await get('text/html')
    lie = () => ({ ...stated, signature })
    const asked = { url: liarUrl, signer: SIGNER, rpcUrls: s.config.rpcUrls, maxAgeMs: 3_600_000 }
    return { body, ...(await verifyProof(asked)) }
  }
  const { body, problems, lines } = await said('2000000')
  assert.deepEqual(problems, [])
  assert.deepEqual(lines.slice(-2), [
    'gone from a chain, and perhaps owed, though in no books yet: RM 2',
    'RM 1000.02 stand behind RM 7.002345',
  ])
  assert.match(
    body,
    /stand behind RM 7\.002345.*<td>Gone from a chain, and perhaps owed, though in no books yet<\/td><td>2<\/td>/s,
  )
  assert.deepEqual((await said('2000000000')).problems, ['The reserve is less than what is owed.'])
  await s.db.query('delete from reserve_proofs')
})

test('the worker proves by itself; an older proof does not replace a newer one; a dead chain leaves the last', async () => {
  const prover = createProver({ db: s.db, chains: [s.chain], logger: silent, key: KEY })
  prover.start()
  await waitFor(
    'a proof',
    async () => (JSON.parse((await get()).body) as SignedReserves).supplies[0]?.supplyMicro === '5000000',
  )
  await prover.stop()
  const before = (await get()).body
  const dead = { ...s.chain, reader: { finalSupply: () => Promise.reject(new Error('dead')) } }
  await assert.rejects(proveReserves({ db: s.db, chains: [dead], key: KEY }), /dead/)
  assert.equal((await get()).body, before)
  const newest = JSON.parse(before) as SignedReserves
  await storeProof(s.db, { ...newest, payableMicro: '7', madeAt: '2026-01-01T00:00:00Z' })
  assert.equal((await get()).body, before)
  // Made while the clock was ahead.
  await s.db.query(`update reserve_proofs set made_at = now() + interval '1 year'`)
  await bankNotifies(s.db, 1n)
  await prove()
  assert.notEqual((await get()).body, before)
})

test('every amount and name is under the signature', async () => {
  await s.db.query('delete from reserve_proofs')
  const proof = await prove()
  const text = (value: SignedReserves) =>
    JSON.stringify(typedDataOf(value).message, (_, each) => (typeof each === 'bigint' ? String(each) : each))
  const [supply] = proof.supplies
  const [account] = proof.statements
  assert.ok(supply !== undefined && account !== undefined)
  const changed: SignedReserves[] = [
    { ...proof, madeAt: '2026-01-01T00:00:00Z' },
    { ...proof, payableMicro: '7' },
    { ...proof, residualMicro: '7' },
    { ...proof, clearingMicro: '7' },
    { ...proof, missingMicro: '7' },
    ...Object.keys(supply).map((name) => ({ ...proof, supplies: [{ ...supply, [name]: '7' }] })),
    ...Object.keys(account).map((name) => ({ ...proof, statements: [{ ...account, [name]: '7' }] })),
  ]
  for (const each of changed) assert.notEqual(text(each), text(proof))
})

test('a chain that cannot be read for a moment is read again without a word; for longer that is said once, and once that it is over', async () => {
  const [before, said]: [string, string[]] = [(await get()).body, []]
  let isAway = true
  const reader: ProvenChain['reader'] = {
    finalSupply: (notAbove) =>
      isAway
        ? Promise.reject(new ChainUnreadableError('no state of that block'))
        : s.chain.reader.finalSupply(notAbove),
  }
  const say = (level: string) => () => said.push(level)
  const logger = { ...silent, debug: say('debug'), error: say('error'), info: say('info') } as never
  const deps = { db: s.db, chains: [{ ...s.chain, reader }], logger, key: KEY, againMs: 20 }
  const prover = createProver({ ...deps, patienceMs: 200 })
  prover.start()
  await waitFor(
    'it to be tried again after it was said',
    async () => said.indexOf('error') + 2 < said.length && said.includes('error'),
  )
  assert.equal(said[0], 'debug')
  assert.equal((await get()).body, before)
  isAway = false
  await bankNotifies(s.db, 2n)
  await waitFor('a proof', async () => (await get()).body !== before)
  await prover.stop()
  const loud = said.filter((level) => level !== 'debug')
  assert.deepEqual(loud, ['error', 'info'])
})
