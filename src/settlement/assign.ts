/** Which signer sends which batch, under which nonce, as far as their gas balances reach. */
import type { Fees } from '../chain/fees.ts'
import type { AgreedHead } from '../chain/quorum.ts'
import { readGasBalance } from '../chain/reads.ts'
import type { Signer } from '../chain/signer.ts'
import { readNextNonces } from './chain-store.ts'
import type { InFlightBatch } from './in-flight-store.ts'
import { oneNode } from './market.ts'
import type { Simulated } from './simulate.ts'
import { setHeld, type Work } from './work.ts'

export type Assigned = Simulated & { signer: Signer; nonce: bigint; fees: Fees }

type Account = { signer: Signer; nonce: bigint; load: number; committedWei: bigint; balanceWei: bigint }

/**
 * Gives each batch to the least busy signer. Ends with the first one that its signer could not pay for together with
 * everything it has unmined; when that is the very first, the hold is reported.
 */
export async function assignSigners(
  work: Work,
  at: AgreedHead,
  batches: readonly Simulated[],
  fees: Fees,
  inFlight: readonly InFlightBatch[],
): Promise<Assigned[]> {
  const accounts = await readAccounts(work, at, inFlight)
  const assigned: Assigned[] = []
  for (const batch of batches) {
    const account = accounts.reduce((best, other) => (other.load < best.load ? other : best))
    const { signer, nonce, balanceWei } = account
    const neededWei = account.committedWei + batch.gas * fees.maxFeePerGas
    if (neededWei > balanceWei) {
      const amounts = { balanceWei: String(balanceWei), neededWei: String(neededWei) }
      if (assigned.length === 0) setHeld(work, 'gas-balance', { signer: signer.address, ...amounts })
      break
    }
    assigned.push({ ...batch, signer, nonce, fees })
    Object.assign(account, { nonce: nonce + 1n, load: account.load + 1, committedWei: neededWei })
  }
  return assigned
}

async function readAccounts(work: Work, at: AgreedHead, inFlight: readonly InFlightBatch[]): Promise<Account[]> {
  const { db, chain } = work
  const nonces = await readNextNonces(db, chain.config.chainId)
  return Promise.all(
    chain.signers.map(async (signer) => {
      const nonce = nonces.get(signer.address)
      if (nonce === undefined) throw new Error(`the signer ${signer.address} is not registered`)
      const unmined = inFlight.filter((batch) => batch.status === 'signed' && batch.signer === signer.address)
      const costs = unmined
        .map(({ attempts }) => attempts.at(-1))
        .map((last) => (last ? last.gasLimit * last.fees.maxFeePerGas : 0n))
      const committedWei = costs.reduce((sum, cost) => sum + cost, 0n)
      const balanceWei = await readGasBalance(oneNode(work, at), signer.address)
      return { signer, nonce, load: unmined.length, committedWei, balanceWei }
    }),
  )
}
