/** What operators do where the chain has other instructions under the id of a batch that was final: they give it up. */
import type { RpcNode } from '../../src/chain/node.ts'
import { ChainError } from '../../src/chain-errors.ts'
import type { ChainConfig } from '../../src/config.ts'
import type { Database } from '../../src/db/database.ts'
import { explainBatch } from '../../src/settlement/explain/explain.ts'
import { proveReplaced } from '../../src/settlement/explain/replaced.ts'

type Chain = { config: ChainConfig; nodes: readonly RpcNode[] }

/** Gives up what the settler has named, if the operators' own nodes say the same. */
export async function giveUpReplaced(db: Database, chain: Chain, say: (what: string) => void): Promise<void> {
  const { chainId } = chain.config
  const [hold] = await db.query<{ id: string | null }>(
    `select details::jsonb ->> 'otherUnderFinalBatch' as id from settlement_holds where chain_id = $1 and reason = 'batch-conflict'`,
    [chainId],
  )
  if (hold === undefined || hold.id === null) return
  const batchId = BigInt(hold.id)
  const replaced = await proveReplaced(db, chain, batchId).catch((error: unknown) => {
    if (error instanceof ChainError) return 'unknown'
    throw error
  })
  if (replaced !== 'replaced') return say(`batch ${batchId} is not given up: ${replaced}`)
  const done = await db.transaction((tx) => explainBatch(tx, { chainId, batchId }, 'the chain has others', replaced))
  say(`batch ${batchId} is given up: ${JSON.stringify(done)}`)
}
