// engine: postgres
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Hex, hexToBigInt, numberToHex, toFunctionSelector } from 'viem'
import { connectChain } from '../../src/chain/chain.ts'
import { createSettler } from '../../src/settlement/settler.ts'
import { type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { waitFor } from '../support/wait-for.ts'
import { orderState, silent, wallet } from './fixture.ts'
import { QUICK, startScenario } from './scenario.ts'

const OUTCOME_OF = toFunctionSelector('outcomeOf(uint256)')

const honest: Rules = () => ({ kind: 'none' })

test('no bytes reach a node before they are stored', async () => {
  const s = await startScenario()
  const stored: boolean[] = []
  const proxy = await startFaultyRpc(s.rpcUrl, async ({ method, params }) => {
    if (method === 'eth_sendRawTransaction') {
      const rows = await s.db.query(
        `select b.batch_id from batch_attempts a join batches b using (chain_id, batch_id)
        join signed_orders f on f.batch_id = b.batch_id and f.order_id = b.order_ids[1]
        where chain_id = 31337 and '0x' || encode(a.raw_transaction, 'hex') = $1 and b.tx_hash = a.tx_hash`,
        [params[0] as Hex],
      )
      stored.push(rows.length === 1)
    }
    return { kind: 'none' }
  })
  try {
    await s.settle({ config: { rpcUrls: [proxy.url] } })
    for (const seed of [1, 2, 3]) {
      const [mint] = await s.place({ direction: 'MINT', amountMicro: 7n, to: wallet(seed) })
      await s.until(mint, 'completed')
    }
    assert.ok(stored.length >= 3 && stored.every(Boolean), String(stored))
  } finally {
    await s.end()
    await proxy.close()
  }
})

test('a broadcast that landed but was never answered settles once', async () => {
  const s = await startScenario({ manualMining: true })
  let dropped = 0
  const proxy = await startFaultyRpc(s.rpcUrl, ({ method }) => {
    if (method !== 'eth_sendRawTransaction' || dropped === 2) return { kind: 'none' }
    dropped += 1
    return { kind: 'drop' }
  })
  try {
    await s.settle({ config: { rpcUrls: [proxy.url] } })
    const [mint] = await s.place({ direction: 'MINT', amountMicro: 7n, to: wallet(1) })
    await waitFor(
      'the bytes to be sent again',
      () => proxy.seen.filter((method) => method === 'eth_sendRawTransaction').length >= 3,
    )
    await s.mine()
    await s.until(mint, 'completed')
    assert.equal(await s.chain.reader.latestBalance(wallet(1)), 7n)
    assert.equal((await s.db.query('select tx_hash from batch_attempts where chain_id = 31337')).length, 1)
    await s.audit()
  } finally {
    await proxy.close()
    await s.end()
  }
})

for (const message of [
  'nonce too low',
  'something nobody has ever heard of',
  'insufficient funds for gas * price + value',
]) {
  test(`the broadcast answer "${message}" fails nothing`, async () => {
    const s = await startScenario()
    let refused = 0
    const proxy = await startFaultyRpc(s.rpcUrl, ({ method }) => {
      if (method !== 'eth_sendRawTransaction' || refused === 2) return { kind: 'none' }
      refused += 1
      return { kind: 'error', message }
    })
    try {
      await s.settle({ config: { rpcUrls: [proxy.url] } })
      const [mint] = await s.place({ direction: 'MINT', amountMicro: 7n, to: wallet(1) })
      await s.until(mint, 'completed')
      await s.audit()
    } finally {
      await proxy.close()
      await s.end()
    }
  })
}

const fakeHash = `0x${'ab'.repeat(32)}` as const

/** Lies of one node: none must complete, fail or move an order, nor stop the honest nodes. */
const LIES: Record<string, Rules> = {
  'a head far ahead, with a hash of its own': ({ method, params }) =>
    method === 'eth_getBlockByNumber'
      ? {
          kind: 'lie',
          lie: (answer) =>
            answer === null
              ? null
              : {
                  ...(answer as object),
                  hash: fakeHash,
                  number: params[0] === 'latest' ? '0xffffff' : (answer as { number: Hex }).number,
                },
        }
      : { kind: 'none' },
  'a head that stays behind': ({ method, params }) =>
    method === 'eth_getBlockByNumber' && params[0] === 'latest'
      ? {
          kind: 'lie',
          lie: (answer) => ({
            ...(answer as object),
            number: numberToHex(hexToBigInt((answer as { number: Hex }).number) - 3n),
          }),
        }
      : { kind: 'none' },
  'batches that are settled, with every instruction failed': ({ method, params }) =>
    method === 'eth_call' && (params[0] as { data: string }).data.startsWith(OUTCOME_OF)
      ? { kind: 'lie', lie: (answer) => `0x${'0'.repeat(63)}1${'0'.repeat(64)}${String(answer).slice(130)}` }
      : { kind: 'none' },
  'receipts that say reverted': ({ method }) =>
    method === 'eth_getTransactionReceipt'
      ? { kind: 'lie', lie: (answer) => (answer === null ? null : { ...(answer as object), status: '0x0' }) }
      : { kind: 'none' },
  'nonces that are used up': ({ method }) =>
    method === 'eth_getTransactionCount' ? { kind: 'lie', lie: () => '0xffff' } : { kind: 'none' },
  'no receipts at all': ({ method }) =>
    method === 'eth_getTransactionReceipt' ? { kind: 'lie', lie: () => null } : { kind: 'none' },
}

for (const [name, rules] of Object.entries(LIES)) {
  test(`one of three nodes tells of ${name}`, async () => {
    const s = await startScenario({ config: { confirmations: 3 }, manualMining: true })
    const proxies = await Promise.all([rules, honest, honest].map((each) => startFaultyRpc(s.rpcUrl, each)))
    await s.mine(5)
    try {
      await s.settle({ config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 } })
      const [mint = 0n] = await s.place({ direction: 'MINT', amountMicro: 7n, to: wallet(1) })
      const { tx_hash: hash } = await s.until(mint, 'SUBMITTED')
      await waitFor('the batch in the pool', async () => (await s.rpc('eth_getTransactionByHash', hash)) !== null)
      await waitFor('the liar to be asked', () => (proxies[0]?.seen.length ?? 0) > 20)
      assert.equal((await orderState(s.db, mint)).phase, 'SUBMITTED')
      await s.mine(1)
      await s.until(mint, 'CONFIRMING')
      await s.mine(2)
      await s.until(mint, 'completed')
      await s.audit()
    } finally {
      await s.end()
      await Promise.all(proxies.map((proxy) => proxy.close()))
    }
  })
}

for (const seed of [1, 2, 3, 4]) {
  test(`with one flaky node, dropping and delaying at random (seed ${seed}), every order settles once`, async () => {
    const s = await startScenario()
    const proxy = await startFaultyRpc(
      s.rpcUrl,
      (_request, random) => {
        const dice = random()
        if (dice < 0.05) return { kind: 'drop' }
        if (dice < 0.1) return { kind: 'refuse' }
        if (dice < 0.2) return { kind: 'delay', ms: Math.floor(random() * 30) }
        return dice < 0.22 ? { kind: 'error', message: 'internal error' } : { kind: 'none' }
      },
      seed,
    )
    try {
      await s.settle({ config: { rpcUrls: [proxy.url] } })
      const ids: bigint[] = []
      for (let wave = 0; wave < 6; wave += 1) {
        const orders = Array.from(
          { length: 10 },
          (_, index) => ({ direction: 'MINT', amountMicro: 3n, to: wallet(index) }) as const,
        )
        ids.push(...(await s.place(...orders)))
      }
      // A dozen rounds may fail one after the other, and the pauses between them grow to five seconds.
      for (const id of ids) await s.until(id, 'completed', 60_000)
      await s.audit()
    } finally {
      await proxy.close()
      await s.end()
    }
  })
}

test('two settlers at once: one leads, the other takes over when it goes, and nothing is settled twice', async () => {
  const s = await startScenario({ engine: 'postgres' })
  try {
    const settlers = new Map([
      ['first', await s.settle({ holder: 'first' })],
      ['second', await s.settle({ holder: 'second' })],
    ])
    const place = () =>
      s.place(
        ...Array.from(
          { length: 40 },
          (_, index) => ({ direction: 'MINT', amountMicro: 2n, to: wallet(index) }) as const,
        ),
      )
    const before = await place()
    for (const id of before) await s.until(id, 'completed')
    const leader = () =>
      s.db.query<{ holder: string; token: bigint }>(`select holder, token from leases where name = 'settlement:31337'`)
    const [lease] = await leader()
    assert.equal(lease?.token, 1n)
    const during = await place()
    await settlers.get(lease?.holder ?? '')?.stop()
    const behind = await place()
    for (const id of [...during, ...behind]) await s.until(id, 'completed')
    const [taken] = await leader()
    assert.equal(taken?.token, 2n)
    assert.notEqual(taken?.holder, lease?.holder)
    await s.audit()
  } finally {
    await s.end()
  }
})

test('a settler whose lease was taken over while it worked writes nothing', async () => {
  const s = await startScenario({ engine: 'postgres', manualMining: true })
  let steals = 0
  const settler = createSettler({
    db: s.db,
    chains: [connectChain(s.config, { db: s.db, logger: silent })],
    logger: silent,
    holder: 'sleeper',
    times: QUICK,
    async onStep(step) {
      if (step !== 'batch-signed' || steals > 0) return
      steals += 1
      await s.db.query(`update leases set holder = 'thief', token = token + 1, lasts = '1 hour', expires_at = now() + interval '1 hour'
        where name = 'settlement:31337'`)
    },
  })
  try {
    settler.start()
    const [mint = 0n] = await s.place({ direction: 'MINT', amountMicro: 2n, to: wallet(1) })
    await waitFor('the theft', () => steals === 1)
    await settler.stop()
    assert.equal((await orderState(s.db, mint)).status, 'pending')
    assert.equal((await s.db.query('select batch_id from batches where chain_id = 31337')).length, 0)
    assert.deepEqual(await s.rpc('txpool_status'), { pending: '0x0', queued: '0x0' })
  } finally {
    await settler.stop()
    await s.end()
  }
})
