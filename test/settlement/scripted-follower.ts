/** Following a scripted chain: the batches are in a real database, the nodes answer from blocks that a test writes. */
import { type Hex, zeroAddress } from 'viem'
import {
  digestOf,
  type Instruction,
  KIND,
  NO_HISTORY,
  packInstructions,
  runningHashAfter,
} from '../../src/chain/instructions.ts'
import { acquireLease } from '../../src/leases/leases.sql.ts'
import { observe } from '../../src/settlement/follow/observe.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { type ChainRow, findChain } from '../../src/settlement/tables/chains.sql.ts'
import { readInFlight } from '../../src/settlement/tables/in-flight.sql.ts'
import type { Work } from '../../src/settlement/work.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { account, wallet } from './fixture.ts'
import { COIN, type ScriptedBatch, SETTLEMENT, scriptChain, transactionOf } from './scripted-chain.ts'

export const DEPTH = 3
export const SIGNER = account('signer').address
export const THIEF = account('second').address
export const GRACE_MS = 15_000

let chainId = 0

/** A batch of this settler: one mint. */
export const batch = (batchId: bigint, amount = batchId): ScriptedBatch => {
  const mint: Instruction = { kind: KIND.MINT, from: zeroAddress, to: wallet(1), amount, tag: '0x0000000000000001' }
  return { batchId, instructions: [mint], sender: SIGNER }
}

/** A settler that follows a scripted chain; a database may have several of them. */
export async function startFollower(db: TestDatabase) {
  chainId += 1
  const own = chainId
  const chain = scriptChain(DEPTH)
  const refuses: string[] = []
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block) values ($1, $2, $3, '0x0', 0)`,
    [own, COIN, SETTLEMENT],
  )
  const lease = await acquireLease(db, `settlement:${own}`, 'this', 600_000)
  const logged: [level: string, text: string][] = []
  const log = (level: string) => (_: object, text: string) => void logged.push([level, text])
  const told: unknown[][] = []
  const metric =
    (name: string) =>
    (_: number, ...rest: unknown[]) =>
      void told.push([name, ...rest])
  const steps: string[] = []
  const clock = { nowMs: 1_000 }
  const nodes = [chain.node(refuses)]
  const config = {
    chainId: own,
    settlement: SETTLEMENT,
    coin: { address: COIN },
    quorum: 1,
    confirmations: DEPTH,
    finality: 'depth',
    bumpAfterBlocks: 1_000,
  }
  const work = {
    db,
    otherChainIds: [],
    lease,
    memory: freshMemory(),
    chain: { config, nodes, signers: [{ address: SIGNER }] },
    logger: { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error'), fatal: log('fatal') },
    metrics: {
      headLag: metric('headLag'),
      reorganised: metric('reorganised'),
      finalized: metric('finalized'),
      foreign: metric('foreign'),
    },
    onStep: (step: string) => void steps.push(step),
    nowMs: () => clock.nowMs,
    times: { behindGraceMs: GRACE_MS },
  } as unknown as Work
  const s = {
    chain,
    work,
    logged,
    told,
    steps,
    clock,
    refuses,
    chainId: own,
    memory: work.memory.follow,
    /** A batch of this database, with the transaction that carries it. */
    async store(...batches: ScriptedBatch[]) {
      await db.transaction(async (tx) => {
        await dropGuards(tx)
        let history: Hex = NO_HISTORY
        for (const [index, each] of batches.entries()) {
          const nonce = each.batchId - 1n
          const digest = digestOf(packInstructions(each.instructions))
          history = runningHashAfter(history, digest)
          await tx.query(
            `insert into batches (chain_id, batch_id, signer, nonce, digest, running_hash, order_ids, order_count, tx_hash, status, fencing_token)
             values ($1, $2, $3, $4, $5, $7, '{0}', 1, $6, 'signed', 1)`,
            [own, each.batchId, SIGNER, nonce, digest, transactionOf(each), history],
          )
          await tx.query(
            `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
               max_priority_fee_per_gas, gas_limit, created_at) values ($1, $2, $3, $4, $5, '\\x02', 1, 1, 1, now() + $6 * interval '1 second')`,
            [own, each.batchId, transactionOf(each), SIGNER, nonce, index],
          )
        }
      })
    },
    async look(below = 0) {
      s.chain.asked.length = 0
      steps.length = 0
      return await observe(
        work,
        chain.head(nodes, below),
        (await findChain(db, own)) as ChainRow,
        await readInFlight(db, own),
      )
    },
    async block(addition: Parameters<typeof chain.mine>[0] = {}) {
      chain.mine(addition)
      return await s.look()
    },
    /** `1:mined@4` and so on, and the observed block. */
    async state() {
      const rows = await db.query<{ line: string }>(
        `select batch_id || ':' || status || coalesce('@' || mined_block, '') as line from batches where chain_id = $1 order by batch_id`,
        [own],
      )
      return [...rows.map(({ line }) => line), `observed ${(await findChain(db, own))?.observedBlock}`]
    },
    asked: (method: string) => chain.asked.filter(([each]) => each === method).length,
    toldOf: (name: string) => told.filter(([each]) => each === name).map(([, value]) => value),
  }
  return s
}
