/** The watch over a scripted chain: a settler with a lease of its own in a database that it shares with others. */
import { zeroAddress } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { encodeSettle, type Instruction, KIND, NO_HISTORY, packInstructions } from '../../src/chain/instructions.ts'
import { acquireLease, type Lease } from '../../src/leases/leases.sql.ts'
import { freshMemory } from '../../src/settlement/fresh-memory.ts'
import { watchChain } from '../../src/settlement/watch/watch.ts'
import type { OnForeignMovement, Work } from '../../src/settlement/work.ts'
import type { TestDatabase } from '../support/database.ts'
import { dropGuards } from '../support/without-guards.ts'
import { account, keyOf, wallet } from './fixture.ts'
import { COIN, type ScriptedBatch, SETTLEMENT, scriptChain } from './scripted-chain.ts'

export const DEPTH = 4
const SIGNER = privateKeyToAccount(keyOf('signer').privateKey)
export const THIEF = account('second').address

let chainId = 0

export const mint = (amount: bigint, seed = 1): Instruction => ({
  kind: KIND.MINT,
  from: zeroAddress,
  to: wallet(seed),
  amount,
  tag: '0x0000000000000001',
})
export const redeem = (amount: bigint, seed = 1): Instruction => ({
  kind: KIND.REDEEM,
  from: wallet(seed),
  to: zeroAddress,
  amount,
  tag: '0x0000000000000002',
})
export const transfer = (amount: bigint): Instruction => ({
  kind: KIND.TRANSFER,
  from: wallet(1),
  to: wallet(2),
  amount,
  tag: '0x0000000000000003',
})
export const batch = (batchId: bigint, ...instructions: Instruction[]): ScriptedBatch => ({ batchId, instructions })
export const theirs = (batchId: bigint, ...instructions: Instruction[]): ScriptedBatch => ({
  ...batch(batchId, ...instructions),
  sender: THIEF,
})

type Options = { onForeignMovement?: OnForeignMovement; refuses?: string[]; config?: object }

/** A settler with a chain and a lease of its own, in one database with all others. */
export async function watchScripted(
  db: TestDatabase,
  { onForeignMovement = 'pause', refuses = [], config: more = {} }: Options = {},
) {
  chainId += 1
  const own = chainId
  const chain = scriptChain(DEPTH)
  await db.query(
    `insert into chains (chain_id, coin_address, settlement_address, genesis_hash, observed_block)
     values ($1, '0x1', '0x2', '0x0', 0)`,
    [own],
  )
  const lease = (await acquireLease(db, `settlement:${own}`, 'this', 600_000)) as Lease
  const logged: { level: string; fields: Record<string, unknown>; text: string }[] = []
  const log = (level: string) => (fields: Record<string, unknown>, text: string) =>
    void logged.push({ level, fields, text })
  const counted: unknown[] = []
  const config = {
    chainId: own,
    settlement: SETTLEMENT,
    coin: { address: COIN },
    quorum: 1,
    confirmations: DEPTH,
    ...more,
  }
  const nodes = [chain.node(refuses)]
  const work = {
    db,
    otherChainIds: [],
    lease,
    onForeignMovement,
    memory: freshMemory(),
    chain: { config, nodes },
    logger: { fatal: log('fatal'), error: log('error'), warn: log('warn'), debug: log('debug') },
    metrics: { foreignMovement: (...args: unknown[]) => void counted.push(args) },
  } as unknown as Work
  return {
    chain,
    work,
    logged,
    counted,
    refuses,
    chainId: own,
    memory: work.memory.watch,
    /** Makes a block and looks at it. */
    async block(addition: Parameters<typeof chain.mine>[0] = {}) {
      chain.mine(addition)
      await watchChain(work, chain.head(nodes))
    },
    look: (below = 0) => watchChain(work, chain.head(nodes, below)),
    /** The bytes of a batch, as this database has signed them. */
    async sign({ batchId, instructions }: ScriptedBatch, on = own) {
      const raw = await SIGNER.signTransaction({
        type: 'eip1559',
        chainId: on,
        nonce: Number(batchId),
        to: SETTLEMENT,
        gas: 1n,
        maxFeePerGas: 1n,
        data: encodeSettle(batchId, NO_HISTORY, packInstructions(instructions)),
      })
      await db.transaction(async (tx) => {
        await dropGuards(tx)
        await tx.query(
          `insert into batch_attempts (chain_id, batch_id, tx_hash, signer, nonce, raw_transaction, max_fee_per_gas,
             max_priority_fee_per_gas, gas_limit) values ($1, $2, gen_random_uuid()::text, $3, $2, decode(substr($4, 3), 'hex'), 1, 1, 1)`,
          [on, batchId, SIGNER.address, raw],
        )
      })
    },
    movements: async () => (await rowsOf(db, own)).map(({ kind, seen }) => `${kind} ${seen}`),
    rows: () => rowsOf(db, own),
  }
}

const rowsOf = (db: TestDatabase, own: number) =>
  db.query<{
    kind: string
    details: string
    seen: string
    after: string
    batch: string | null
    amount: string | null
    pauses: boolean
    transactions: { txHash: string; block: string; from: string | null; to: string | null; amount: string }[]
  }>(
    `select kind, details, seen_block::text as seen, after_block::text as after, batch_id::text as batch,
       amount_micro::text as amount, pauses, transactions from foreign_movements where chain_id = $1 order by movement_id`,
    [own],
  )
