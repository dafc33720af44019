/** Signs the batches that one signer was given. */
import type { SignedTransaction } from '../../chain/signed-transaction.ts'
import { setHeld } from '../holds.ts'
import type { Work } from '../work.ts'
import type { Assigned } from './assign.ts'
import { noteUnsigning } from './unsigning.ts'

export type Signed = Assigned & SignedTransaction

/**
 * All or none, because signed bytes that are not stored are never used. A signer that does not sign comes last for a while: with nothing under
 * way another one leads then.
 */
export async function signAll(work: Work, assigned: readonly Assigned[]): Promise<Signed[]> {
  const { chain } = work
  const { chainId, settlement: to } = chain.config
  try {
    return await Promise.all(
      assigned.map(async (batch) => {
        const { signer, nonce, callData: data, gas, fees } = batch
        return { ...batch, ...(await signer.sign({ chainId, nonce, to, data, value: 0n, gas, ...fees })) }
      }),
    )
  } catch (error) {
    for (const { signer } of assigned) noteUnsigning(work, signer.address)
    setHeld(work, 'signer-unavailable', { error: (error as Error).message })
    return []
  }
}
