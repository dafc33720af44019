/** What the tests of carried batches look at: what a scripted settler has sent, stored and handed over. */
import { type Hex, parseTransaction, type TransactionSerializedEIP1559 } from 'viem'
import type { InFlightBatch } from '../../src/settlement/tables/in-flight.sql.ts'
import { FEES, GAS, type startScripted } from './scripted-settler.ts'

export type Scripted = Awaited<ReturnType<typeof startScripted>>

export const COST = GAS * FEES.maxFeePerGas
export const parse = (raw: unknown) => parseTransaction(raw as TransactionSerializedEIP1559)
export const noncesOf = (raws: readonly unknown[]) => raws.map((raw) => BigInt(parse(raw).nonce ?? 0))
export const sentOf = (s: Scripted) => s.askedOf('eth_sendRawTransaction')
/** Every attempt at this settler's batches, newest last. */
export const attemptsOf = (s: Scripted, batchId: bigint) =>
  s.work.db.query<{
    signer: string
    nonce: bigint
    gas: bigint
    fee: bigint
    tip: bigint
    raw: Hex
    answer: string | null
  }>(
    `select signer, nonce, gas_limit as gas, max_fee_per_gas::bigint as fee, max_priority_fee_per_gas::bigint as tip,
       '0x' || encode(raw_transaction, 'hex') as raw, last_answer as answer
     from batch_attempts where chain_id = $1 and batch_id = $2 order by created_at`,
    [s.chainId, batchId],
  )
export const carriers = async (s: Scripted) => (await s.inFlight()).map(({ signer, nonce }) => [signer, nonce])
/** Every attempt was first seen at this block. */
export const seenAt = (s: Scripted, batches: readonly InFlightBatch[], block: bigint) =>
  (s.memory.bump.seenAtBlock = new Map(
    batches.flatMap(({ attempts }) => attempts.map(({ txHash }) => [txHash, block])),
  ))
/** The gas money of everybody, where these cannot pay for a batch. */
export const poor =
  (...signers: { address: string }[]) =>
  (address: string) =>
    signers.some((signer) => signer.address === address) ? COST - 1n : 10n ** 18n
