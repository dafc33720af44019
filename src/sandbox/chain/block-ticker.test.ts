import assert from 'node:assert/strict'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { pino } from 'pino'
import { waitFor } from '../../../test/support/wait-for.ts'
import { type BlockTicker, startBlockTicker } from './block-ticker.ts'

/** A chain that records its blocks. The block numbered `surprise` gets a transaction that nobody saw waiting. */
const chain = { waiting: 0, blocks: [] as number[], surprise: 0 }
const answers: Readonly<Record<string, () => unknown>> = {
  txpool_status: () => ({ pending: `0x${chain.waiting.toString(16)}`, queued: '0x0' }),
  eth_getBlockTransactionCountByNumber: () => `0x${(chain.blocks.at(-1) ?? 0).toString(16)}`,
  evm_mine: () => {
    const surprises = chain.blocks.length + 1 === chain.surprise ? 1 : 0
    chain.blocks.push(chain.waiting + surprises)
    chain.waiting = 0
    return '0x0'
  },
}
const server = createServer((request, response) => {
  void methodOf(request).then((method) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: answers[method]?.() }))
  })
})
let ticker: BlockTicker
/** Blocks that are made at the start although nothing happens. */
const FIRST_BLOCKS = 4

before(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
beforeEach(async () => {
  await ticker?.stop()
  Object.assign(chain, { waiting: 0, blocks: [], surprise: 0 })
  ticker = startBlockTicker(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, 1, pino({ level: 'silent' }))
})
after(async () => {
  await ticker.stop()
  server.close()
})

async function methodOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return (JSON.parse(text) as { method: string }).method
}

/** Blocks after the newest one with a transaction. */
function depth(): number {
  return chain.blocks.length - 1 - chain.blocks.findLastIndex((count) => count > 0)
}

test('a transaction is mined and confirmed', async () => {
  chain.waiting = 1
  await waitFor('confirmations', () => chain.blocks.includes(1) && depth() >= 4)
})

test('a transaction that arrives with the last block that was due is confirmed too', async () => {
  chain.surprise = FIRST_BLOCKS
  await waitFor('confirmations', () => chain.blocks.includes(1) && depth() >= 4)
})

test('no blocks are made while nothing happens', async () => {
  let asked = 0
  const status = answers.txpool_status
  await waitFor('the first blocks', () => chain.blocks.length === FIRST_BLOCKS)
  Object.assign(answers, {
    txpool_status: () => {
      asked += 1
      return status?.()
    },
  })
  await waitFor('some more looks', () => asked > 5)
  assert.equal(chain.blocks.length, FIRST_BLOCKS)
})
