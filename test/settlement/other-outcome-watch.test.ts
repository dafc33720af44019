// engine: postgres
/** What a batch has done otherwise the second time is no coin outside batches, also where that is known before anybody could look at the supply. */
// Runbook: Something happened on the chain that nobody asked for
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { loseAfter, sendFreeze, settleFrozen, toldOtherwise } from './executing-again.ts'
import { keyOf } from './fixture.ts'
import { ALONE, mint, rawOf } from './repairing.ts'
import { type Stepped, type SteppedChain, startStepped } from './stepped.ts'

/** Of `totalSupply()`. */
const SUPPLY = '0x18160ddd'

let chain: SteppedChain
before(async () => {
  chain = await startStepped({ confirmations: 2, signers: [keyOf('signer'), keyOf('second')] })
})
after(() => chain.end())

/** No node says how much coin there is, until the function is called that this returns. */
function hideSupply(s: Stepped): () => void {
  const { chain: seen } = s.work
  const nodes = seen.nodes.map((node) => ({
    ...node,
    request: async (method: string, params: readonly unknown[], timeoutMs?: number) => {
      if (JSON.stringify(params).includes(SUPPLY)) throw new Error('the node does not tell')
      return await node.request(method, params, timeoutMs)
    },
  }))
  s.work.chain = { ...seen, nodes }
  return () => {
    s.work.chain = seen
  }
}

const rollBack = async (s: Stepped, block: bigint) => {
  await s.rpc('anvil_rollback', Number((await s.head()).number - block))
  await s.rpc('anvil_dropAllTransactions')
}

const HOW = {
  'the chain is lower than it was': { lose: rollBack, hide: () => () => {} },
  'no node says how much coin there is': { lose: loseAfter, hide: hideSupply },
}

for (const [how, { lose, hide }] of Object.entries(HOW))
  test(`while ${how}`, async () => {
    for (const frozen of [undefined, 1]) {
      const s = await chain.begin({ config: ALONE, times: { recheckMs: 1 } })
      await s.round()
      const { number } = await s.head()
      await settleFrozen(s, mint(1), frozen)
      await s.mine(12)
      await s.round()
      const [attempt] = await s.attempts()
      const raw = await rawOf(s, attempt?.tx_hash)
      await lose(s, number)
      const show = hide(s)
      if (frozen === undefined) await sendFreeze(s, 1)
      await s.rpc('eth_sendRawTransaction', raw)
      await s.mine(4)
      s.passMs(10)
      await s.round()
      assert.equal((await s.db.query('select from batch_outcomes')).length, 1, 'it is known')
      show()
      await s.mine(15)
      await s.round()
      await s.mine(3)
      await s.round()
      assert.equal(toldOtherwise(s).length, 1)
      assert.deepEqual(await s.db.query(`select details from foreign_movements where kind = 'supply'`), [])
    }
  })
