// engine: postgres
/** One node of three answers whatever there is to answer, in whole or in a part of what is true: orders settle as ever. */
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { type FaultyRpc, type Rules, startFaultyRpc } from '../support/faulty-rpc.ts'
import { keyOf, wallet } from './fixture.ts'
import { type SteppedChain, startStepped } from './stepped.ts'

const ROUNDS = 4

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

const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth))
const PLAIN: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  '0x',
  '0x0',
  '0x-1',
  'text',
  [],
  {},
  [null],
  [[]],
  [{}],
  { toString: 1 },
]
const LONG = [`0x${'f'.repeat(64)}`, `0x${'f'.repeat(200_000)}`, `0x${'0'.repeat(64)}`, 'x'.repeat(100_000)]
const WHATEVER: readonly unknown[] = [...PLAIN, ...LONG, nested(3_000), Array.from({ length: 5_000 }, () => ({}))]

/** Something else in the place of the whole, of a part, or of a part of a part. */
function spoilt(value: unknown, random: () => number): unknown {
  const anything = () => WHATEVER[Math.floor(random() * WHATEVER.length)]
  if (typeof value !== 'object' || value === null || random() < 0.2) return anything()
  const names = Object.keys(value)
  const name = names[Math.floor(random() * names.length)]
  if (name === undefined) return anything()
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>
  if (random() < 0.2) delete copy[name]
  else copy[name] = random() < 0.5 ? anything() : spoilt(copy[name], random)
  return copy
}

const lying: Rules = (request, random) => {
  // A node of another chain is not asked.
  if (request.method === 'eth_chainId') return { kind: 'none' }
  if (request.method === 'eth_sendRawTransaction' && random() < 0.5)
    return { kind: 'error', message: ['already known', 'nonce too low', 'no'][Math.floor(random() * 3)] ?? '' }
  return random() < 0.8 ? { kind: 'lie', lie: (answer) => spoilt(answer, random) } : { kind: 'none' }
}
const honest: Rules = () => ({ kind: 'delay', ms: 10 })

for (const place of [0, 1, 2])
  test(`node ${place + 1} of three says anything: orders settle`, async () => {
    const rules = [0, 1, 2].map((index) => (index === place ? lying : honest))
    proxies = await Promise.all(rules.map((each, index) => startFaultyRpc(chain.rpcUrl, each, 100 * place + index)))
    const s = await chain.begin({ config: { rpcUrls: proxies.map(({ url }) => url), quorum: 2 } })
    for (let round = 0; round < ROUNDS; round += 1) {
      const [order] = await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1 + round) })
      await s.round()
      assert.equal(await s.stateOf(order), 'processing/SUBMITTED', s.held())
      await s.mine(2)
      await s.round()
      assert.equal(await s.stateOf(order), 'completed/COMPLETED', s.held())
    }
    assert.ok((proxies[place]?.seen.length ?? 0) > 40, 'it was asked')
  })
