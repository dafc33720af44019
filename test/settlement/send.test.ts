// engine: postgres; both in test:long
/** What is kept of a node's answer to signed bytes. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type Fault, startFaultyRpc } from '../support/faulty-rpc.ts'
import { wallet } from './fixture.ts'
import { type SteppedChain, startStepped, WARN } from './stepped.ts'

let chain: SteppedChain
before(async () => {
  chain = await startStepped()
})
after(() => chain.end())

const DEBUG = 20

test('the answer to a broadcast is kept and logged, as a warning when the bytes may not have arrived', async () => {
  let fault: Fault = { kind: 'error', message: 'insufficient funds' }
  const proxy = await startFaultyRpc(chain.rpcUrl, ({ method }) =>
    method === 'eth_sendRawTransaction' ? fault : { kind: 'none' },
  )
  try {
    const s = await chain.begin({ config: { rpcUrls: [proxy.url] }, times: { rebroadcastMs: 0 } })
    const expected: { fault: Fault; verdict: string; answer: RegExp; level: number }[] = [
      { fault, verdict: 'rejected', answer: /insufficient funds/, level: WARN },
      { fault: { kind: 'error', message: 'overloaded' }, verdict: 'unknown', answer: /overloaded/, level: WARN },
      { fault: { kind: 'none' }, verdict: 'accepted', answer: /accepted/, level: DEBUG },
      { fault: { kind: 'none' }, verdict: 'known', answer: /already/, level: DEBUG },
    ]
    await s.place({ direction: 'MINT', amountMicro: 5n, to: wallet(1) })
    for (const { verdict, answer, level, ...each } of expected) {
      fault = each.fault
      s.logged.length = 0
      await s.round()
      const [attempt] = await s.db.query<{ tx_hash: string; last_answer: string }>(
        'select tx_hash, last_answer from batch_attempts where chain_id = $1',
        [s.config.chainId],
      )
      const lines = s.logged.filter(({ msg }) => msg === 'broadcast answered')
      const told = lines.map((line) => [line.level, line.chainId, line.txHash, line.verdict])
      assert.deepEqual(told, [[level, s.config.chainId, attempt?.tx_hash, verdict]])
      assert.match(String(lines[0]?.answer), answer)
      assert.equal(attempt?.last_answer, `${verdict}: ${lines[0]?.answer}`)
    }
  } finally {
    await proxy.close()
  }
})
