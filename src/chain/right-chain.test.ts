import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Logger, pino } from 'pino'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import { ofChain } from './right-chain.ts'

const OURS = 8_453
const OTHER = 84_532

/** A node, what it says and does, and what it was asked. */
function nodeOf(chainId: number) {
  const state = { chainId, fails: false, asked: [] as string[] }
  const node: RpcNode = {
    label: 'https://node.example',
    async request(method) {
      state.asked.push(method)
      if (state.fails) throw new RpcUnreachableError('away')
      return method === 'eth_chainId' ? `0x${state.chainId.toString(16)}` : '0x1'
    },
  }
  return { node, state }
}

/** What is logged as an error. */
function listening(): { logger: Logger; errors: string[] } {
  const errors: string[] = []
  return { logger: pino({ level: 'error' }, { write: (line) => void errors.push(JSON.parse(line).msg) }), errors }
}

test('a node of this chain says so once, to all who ask it at the same time, and then answers', async () => {
  const { node, state } = nodeOf(OURS)
  const checked = ofChain(node, OURS, listening().logger)
  assert.deepEqual(await Promise.all([checked.request('eth_call', []), checked.request('eth_call', [])]), [
    '0x1',
    '0x1',
  ])
  await checked.request('eth_call', [])
  assert.deepEqual(state.asked, ['eth_chainId', 'eth_call', 'eth_call', 'eth_call'])
})

test('a node of another chain is asked for nothing else, and is named once, until a minute later its address may be right', async () => {
  const { node, state } = nodeOf(OTHER)
  const { logger, errors } = listening()
  let ms = 0
  const checked = ofChain(node, OURS, logger, () => ms)
  const refused = () =>
    assert.rejects(checked.request('eth_call', []), {
      name: 'RpcUnreachableError',
      message: `https://node.example: is of chain ${OTHER}, configured is ${OURS}`,
    })
  await refused()
  ms = 59_999
  await refused()
  assert.deepEqual([state.asked, errors.length], [['eth_chainId'], 1])
  ms = 60_000
  await refused()
  assert.deepEqual([state.asked, errors.length], [['eth_chainId', 'eth_chainId'], 2])
  state.chainId = OURS
  ms = 120_000
  assert.equal(await checked.request('eth_call', []), '0x1')
})

test('a node that does not say of which chain it is counts as one that does not answer, and is asked again at the next request', async () => {
  const { node, state } = nodeOf(OURS)
  const checked = ofChain(node, OURS, listening().logger)
  state.fails = true
  await assert.rejects(checked.request('eth_call', []), /away/)
  state.fails = false
  assert.equal(await checked.request('eth_call', []), '0x1')
  assert.deepEqual(state.asked, ['eth_chainId', 'eth_chainId', 'eth_call'])
})

test('which chain it is of may always be asked', async () => {
  const { node, state } = nodeOf(OTHER)
  assert.equal(await ofChain(node, OURS, listening().logger).request('eth_chainId', []), `0x${OTHER.toString(16)}`)
  assert.deepEqual(state.asked, ['eth_chainId'])
})
