/** A payer's eyes on a real chain, for tests that run a payer without the rest of its process. */
import type { Chain } from '../../src/chain/chain.ts'
import { createWitness } from '../../src/chain/witness.ts'
import type { Database } from '../../src/db/database.ts'
import { createBurnWatch } from '../../src/payouts/burns.ts'
import type { WorkLoop } from '../../src/work-loop.ts'
import { SILENT } from './bank-setup.ts'

/** Looks every few milliseconds until it is stopped. */
export function startBurnWatch(db: Database, { config, nodes }: Chain): WorkLoop {
  const chain = { chainId: config.chainId, witness: createWitness(config, nodes) }
  const watch = createBurnWatch({ db, chain, logger: SILENT as never, pollMs: 50, againMs: 100 })
  watch.start()
  return watch
}
