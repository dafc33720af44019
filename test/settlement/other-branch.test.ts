// engine: postgres
/** One node of three follows a branch of its own, while one of the two others is slow, or a block behind: these two agree, and settlement goes on. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type Hex, hexToBigInt, numberToHex } from 'viem'
import { type Fault, type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { keyOf, rpc, wallet } from './fixture.ts'
import { type SteppedChain, startStepped } from './stepped.ts'

const HONEST: Fault = { kind: 'none' }
const OTHER_HASH = `0x${'bad'.padStart(64, '0')}`

let chain: SteppedChain
let proxies: FaultyRpc[] = []
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer')] })
})
afterEach(async () => {
  await Promise.all(proxies.map((proxy) => proxy.close()))
  proxies = []
})
after(() => chain.end())

/** Each of its blocks has another hash than those of the others. */
const onOtherBranch: Rules = ({ method }) =>
  method === 'eth_getBlockByNumber'
    ? { kind: 'lie', lie: (block) => block && { ...(block as object), hash: OTHER_HASH } }
    : HONEST

/** Slower than the others are waited for. */
const slow: Rules = ({ method }) => (method === 'eth_getBlockByNumber' ? { kind: 'delay', ms: 400 } : HONEST)

/** Its newest block is the one before. */
const aBlockBehind: Rules = async ({ method, params }) => {
  if (method !== 'eth_getBlockByNumber' || params[0] !== 'latest') return HONEST
  const head = hexToBigInt((await rpc(chain.rpcUrl, 'eth_blockNumber')) as Hex)
  return { kind: 'pretend', result: await rpc(chain.rpcUrl, method, numberToHex(head - 1n), false) }
}

for (const [how, rules] of Object.entries({ slow, 'a block behind': aBlockBehind })) {
  test(`one node is on another branch, and one of the two others is ${how}: what they agree on settles orders`, async () => {
    let isOther = false
    const honest: Rules = () => HONEST
    const other: Rules = (...asked) => (isOther ? onOtherBranch(...asked) : HONEST)
    proxies = await Promise.all([honest, other, rules].map((each) => startFaultyRpc(chain.rpcUrl, each)))
    const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 } })
    isOther = true
    await s.mine()
    const [order] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    await s.round()
    await s.mine(3)
    await s.round()
    assert.equal(await s.stateOf(order), 'completed/COMPLETED', s.held())
  })
}
