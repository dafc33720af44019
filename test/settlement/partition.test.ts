// engine: postgres
/** Nodes that follow two branches of one chain, and a majority of them that goes over from one to the other and back, while orders flow. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { connectChain } from '../../src/chain/chain.ts'
import { type Anvil, keepMining, startAnvil } from '../support/anvil.ts'
import { linkOf, rpc, silent, wallet } from './fixture.ts'
import { QUICK, type Scenario, startScenario } from './scenario.ts'

const HOLDER = wallet(1)

/** An RPC address behind which one node or another answers. */
type Switch = { url: string; to: string; takesTransactions: boolean; server: Server }

async function pass(
  { to, takesTransactions }: Switch,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = Buffer.concat(await request.toArray()).toString()
  const { id, method } = JSON.parse(body) as { id: unknown; method: string }
  response.setHeader('content-type', 'application/json')
  if (method === 'eth_sendRawTransaction' && !takesTransactions) {
    response.end(JSON.stringify({ id, jsonrpc: '2.0', error: { code: -32_000, message: 'txpool is full' } }))
    return
  }
  const asked = { method: 'POST', body, headers: { 'content-type': 'application/json' } }
  const answer = await fetch(to, asked)
  response.end(await answer.text())
}

async function startSwitch(to: string): Promise<Switch> {
  const made = { url: '', to, takesTransactions: true, server: createServer() }
  made.server.on('request', (request, response) => void pass(made, request, response).catch(() => response.destroy()))
  made.server.listen(0, '127.0.0.1')
  await once(made.server, 'listening')
  made.url = `http://127.0.0.1:${(made.server.address() as AddressInfo).port}`
  return made
}

let s: Scenario
const stops: (() => unknown)[] = []
before(async () => {
  s = await startScenario({ engine: 'postgres', config: { confirmations: 5 } })
})
after(async () => {
  for (const stop of stops.reverse()) await stop()
  await s.end()
})

/** A node with the same blocks and states. Anvil's own fork asks the first one for them, and hung for ever on a busy machine. */
async function copyOf(rpcUrl: string): Promise<Anvil> {
  const copy = await startAnvil({ args: ['--no-request-size-limit'] })
  // Longer than what the service reads of any node.
  const ask = async (url: string, method: string, params: unknown) => {
    const body = JSON.stringify({ id: 1, jsonrpc: '2.0', method, params: [params] })
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    return ((await answer.json()) as { result: unknown }).result
  }
  const isLoaded = await ask(copy.rpcUrl, 'anvil_loadState', await ask(rpcUrl, 'anvil_dumpState', true))
  assert.equal(isLoaded, true)
  return copy
}

/** Makes blocks on each of these until it is stopped. */
function mineOn(...urls: string[]): () => void {
  const mining = urls.map((url) => keepMining(() => rpc(url, 'anvil_mine', '0x1'), 80))
  const stop = () => {
    for (const stopOne of mining) stopOne()
  }
  stops.push(stop)
  return stop
}

/** How often a batch that was mined was in no block any more, or in another one, as the database had it. */
function watchMoves(): () => number {
  const places = new Map<bigint, string | null>()
  let moves = 0
  const look = async () => {
    const rows = await s.db.query<{ id: bigint; hash: string | null }>(
      'select batch_id as id, mined_hash as hash from batches',
    )
    for (const { id, hash } of rows) {
      const before = places.get(id)
      if (typeof before === 'string' && before !== hash) moves += 1
      places.set(id, hash)
    }
  }
  const watching = setInterval(() => void look().catch(() => {}), 20)
  stops.push(() => clearInterval(watching))
  return () => moves
}

test('a majority that goes over to another branch and back settles every order once', async () => {
  const switches = await Promise.all([0, 1, 2].map(() => startSwitch(s.rpcUrl)))
  const stopMining = mineOn(s.rpcUrl)
  await s.chain.admin.linkWallet(linkOf(HOLDER))
  const settler = await s.settle({ config: { rpcUrls: switches.map(({ url }) => url), quorum: 2 }, times: QUICK })
  stops.push(
    () => {
      for (const { server } of switches) server.close(() => {}).closeAllConnections()
    },
    () => settler.stop(),
  )
  const [funds] = await s.place({ direction: 'MINT', amountMicro: 1_000_000_000n, to: HOLDER })
  await s.until(funds, 'completed')
  stopMining()
  const other = await copyOf(s.rpcUrl)
  stops.push(() => other.stop())
  await rpc(other.rpcUrl, 'evm_setAutomine', false)
  await rpc(s.rpcUrl, 'evm_setAutomine', false)
  const branches = [s.rpcUrl, other.rpcUrl]
  mineOn(...branches)
  const moves = watchMoves()

  const mints: bigint[] = []
  const redeems: bigint[] = []
  for (let turn = 0; turn < 10; turn += 1) {
    const most = turn % 2
    for (const [n, each] of switches.entries()) {
      each.to = branches[n < 2 ? most : 1 - most] ?? ''
      // Every other time the branch that is left alone does not hear of what is sent.
      each.takesTransactions = n < 2 || turn % 4 < 2
    }
    mints.push(...(await s.place({ direction: 'MINT', amountMicro: 10n, to: wallet(2) })))
    redeems.push(...(await s.place({ direction: 'REDEEM', amountMicro: 20_000n, from: HOLDER })))
    // Mined or not yet, and never final.
    await sleep(200 + 20 * turn)
  }
  for (const each of switches) Object.assign(each, { takesTransactions: true, to: other.rpcUrl })
  for (const order of mints) await s.until(order, 'completed')
  for (const order of redeems) await s.until(order, 'PAYOUT_PENDING')
  await settler.stop()
  assert.ok(moves() > 0, 'the branches differed')
  const chain = connectChain({ ...s.config, rpcUrls: [other.rpcUrl] }, { db: s.db, logger: silent })
  const expected = 1_000_000_000n + 10n * BigInt(mints.length) - 20_000n * BigInt(redeems.length)
  assert.equal(await chain.admin.supply(), expected)
  const [booked] = await s.db.query<{ payable: string }>(
    `select (-sum(l.amount))::text as payable from ledger_entries e, unnest(e.accounts, e.amounts_micro) as l (account, amount)
     where l.account like 'redeem_payable:%'`,
  )
  assert.equal(BigInt(booked?.payable ?? 0), 20_000n * BigInt(redeems.length))
})
