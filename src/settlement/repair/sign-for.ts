/** Signs the same call data under other nonces, stores that, and sends it: for batches that their own bytes can no longer carry. */
import type { Hex } from 'viem'
import { medianOf } from '../../chain/answers.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasBalance } from '../../chain/reads.ts'
import type { Signer } from '../../chain/signer.ts'
import type { Queryable } from '../../db/database.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { assign } from '../form/assign.ts'
import { withinBlockGas } from '../form/gas.ts'
import { readMarket } from '../market.ts'
import { sendAttempt } from '../send.ts'
import { insertAttempt } from '../tables/attempts.sql.ts'
import { readNextNonces, takeNonce } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'

/** A batch, and the gas limit of before. */
export type Carried = { batchId: bigint; data: Hex; gasLimit: bigint }

/** Who carries a batch now. */
export type Carrier = { signer: string; nonce: bigint; txHash: Hex }

/**
 * Signs batches, as far as the signer's gas money reaches.
 * @param give writes down who carries a batch now, in the transaction that stores the bytes
 * @returns how many
 */
export async function signFor(
  work: Work,
  at: AgreedHead,
  { signer, batches }: { signer: Signer; batches: readonly Carried[] },
  give: (tx: Queryable, batchId: bigint, carrier: Carrier) => Promise<void>,
): Promise<number> {
  const { db, chain, lease, logger } = work
  const { chainId, settlement: to } = chain.config
  const { fees } = await readMarket(work, at)
  const nonce = (await readNextNonces(db, chainId)).get(signer.address)
  if (fees === undefined || nonce === undefined) return 0
  const balanceWei = await medianOf(at.nodes, (node) => readGasBalance(node, signer.address))
  const asked = batches.map((batch) => ({ ...batch, gas: withinBlockGas(batch.gasLimit, at.head.gasLimit) }))
  const { assigned } = assign(asked, { signer, nonce, committedWei: 0n, balanceWei }, fees)
  const signed = await Promise.all(
    assigned.map(async ({ batchId, data, gas, nonce: own }) => {
      const { raw, hash } = await signer.sign({ chainId, nonce: own, to, data, value: 0n, gas, ...fees })
      return { batchId, gas, nonce: own, raw, hash }
    }),
  ).catch((error: Error) => {
    logger.warn({ chainId, signer: signer.address, error: error.message }, 'no signature for what is handed over')
    return []
  })
  await underLease(db, lease, async (tx) => {
    for (const { batchId, gas: gasLimit, nonce: own, hash: txHash, raw: rawTransaction } of signed) {
      if (!(await takeNonce(tx, chainId, signer.address, own))) throw new Error(`nonce ${own} was taken`)
      await give(tx, batchId, { signer: signer.address, nonce: own, txHash })
      const attempt = { chainId, batchId, signer: signer.address, nonce: own, fees, gasLimit, txHash }
      await insertAttempt(tx, { ...attempt, rawTransaction })
    }
  })
  await work.onStep('batches-handed-over')
  await Promise.all(signed.map(({ hash, raw }) => sendAttempt(work, hash, raw)))
  return signed.length
}
