/** Which signer sends which batch, under which nonce, as far as their gas balances reach. */
import type { Fees } from '../../chain/fees.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasBalance } from '../../chain/reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { setHeld } from '../holds.ts'
import { oneNode } from '../market.ts'
import { readNextNonces } from '../tables/chains.sql.ts'
import type { InFlightBatch } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import type { Simulated } from './simulate.ts'

export type Assigned = Simulated & { signer: Signer; nonce: bigint; fees: Fees }

/** A signer with its next nonce, how many batches it has unmined, and what these may cost at most. */
export type Account = { signer: Signer; nonce: bigint; unmined: number; committedWei: bigint; balanceWei: bigint }

/** An account that cannot pay for the next batch together with everything it has unmined. */
export type Shortage = { signer: Signer; balanceWei: bigint; neededWei: bigint }

/**
 * Gives each batch to the account with the fewest unmined ones, under consecutive nonces (pure). Ends with the first batch
 * that its account could not pay for.
 */
export function assign(
  batches: readonly Simulated[],
  accounts: readonly [Account, ...Account[]],
  fees: Fees,
): { assigned: Assigned[]; shortage: Shortage | undefined } {
  const open = accounts.map((account) => ({ ...account }))
  const assigned: Assigned[] = []
  for (const batch of batches) {
    const account = open.reduce((best, other) => (other.unmined < best.unmined ? other : best))
    const { signer, nonce, balanceWei } = account
    const neededWei = account.committedWei + batch.gas * fees.maxFeePerGas
    if (neededWei > balanceWei) return { assigned, shortage: { signer, balanceWei, neededWei } }
    assigned.push({ ...batch, signer, nonce, fees })
    Object.assign(account, { nonce: nonce + 1n, unmined: account.unmined + 1, committedWei: neededWei })
  }
  return { assigned, shortage: undefined }
}

/** Assigns batches as far as gas balances reach. When they do not reach for the very first one, the hold is reported. */
export async function assignSigners(
  work: Work,
  at: AgreedHead,
  batches: readonly Simulated[],
  fees: Fees,
  inFlight: readonly InFlightBatch[],
): Promise<Assigned[]> {
  const { assigned, shortage } = assign(batches, await readAccounts(work, at, inFlight), fees)
  if (shortage !== undefined && assigned.length === 0) {
    const { signer, balanceWei, neededWei } = shortage
    const amounts = { balanceWei: String(balanceWei), neededWei: String(neededWei) }
    setHeld(work, 'gas-balance', { signer: signer.address, ...amounts })
  }
  return assigned
}

/** What a signer's unmined batches may cost at most: of each, its newest attempt, which is the dearest. */
export function committedWei(unmined: readonly InFlightBatch[]): bigint {
  return unmined
    .map(({ attempts }) => attempts.at(-1))
    .map((newest) => (newest ? newest.gasLimit * newest.fees.maxFeePerGas : 0n))
    .reduce((sum, cost) => sum + cost, 0n)
}

async function readAccounts(
  work: Work,
  at: AgreedHead,
  inFlight: readonly InFlightBatch[],
): Promise<[Account, ...Account[]]> {
  const { db, chain } = work
  const nonces = await readNextNonces(db, chain.config.chainId)
  const [first, ...others] = await Promise.all(
    chain.signers.map(async (signer) => {
      const nonce = nonces.get(signer.address)
      if (nonce === undefined) throw new Error(`the signer ${signer.address} is not registered`)
      const own = inFlight.filter((batch) => batch.status === 'signed' && batch.signer === signer.address)
      const balanceWei = await readGasBalance(oneNode(work, at), signer.address)
      return { signer, nonce, unmined: own.length, committedWei: committedWei(own), balanceWei }
    }),
  )
  if (first === undefined) throw new Error('the chain has no signer configured')
  return [first, ...others]
}
