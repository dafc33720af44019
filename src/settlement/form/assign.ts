/**
 * Which signer sends the batches, under which nonces, as far as its gas balance reaches. Batches can only be executed
 * in their order, and only the nonces of one account keep transactions in order, so one signer leads and the others
 * stand by.
 */
import { medianOf } from '../../chain/answers.ts'
import type { Fees } from '../../chain/fees.ts'
import type { AgreedHead } from '../../chain/quorum.ts'
import { readGasBalance } from '../../chain/reads.ts'
import type { Signer } from '../../chain/signer.ts'
import { setHeld } from '../holds.ts'
import { readNextNonces } from '../tables/chains.sql.ts'
import { type InFlightBatch, presentAttempts } from '../tables/in-flight.sql.ts'
import type { Work } from '../work.ts'
import type { Simulated } from './simulate.ts'

export type Assigned<B extends { gas: bigint } = Simulated> = B & { signer: Signer; nonce: bigint; fees: Fees }

/** A signer with its next nonce, and what its unmined batches may cost at most. */
export type Account = { signer: Signer; nonce: bigint; committedWei: bigint; balanceWei: bigint }

/** An account that cannot pay for the next batch in addition to its unmined ones. */
export type Shortage = { signer: Signer; balanceWei: bigint; neededWei: bigint }

/**
 * Who may send the next batch (pure): the signer with batches under way or, with none under way, every signer, in the
 * order of the configuration.
 */
export function leadersOf(
  signers: readonly Signer[],
  inFlight: readonly InFlightBatch[],
): { signers: readonly Signer[]; isNext: boolean } {
  const last = inFlight.findLast(({ status }) => status === 'signed')
  if (last === undefined) return { signers, isNext: true }
  return { signers: signers.filter(({ address }) => address === last.signer), isNext: false }
}

/** Gives batches to an account under consecutive nonces, up to the first for which it could not pay (pure). */
export function assign<B extends { gas: bigint }>(
  batches: readonly B[],
  account: Account,
  fees: Fees,
): { assigned: Assigned<B>[]; shortage: Shortage | undefined } {
  const { signer, balanceWei } = account
  const assigned: Assigned<B>[] = []
  let neededWei = account.committedWei
  for (const batch of batches) {
    neededWei += batch.gas * fees.maxFeePerGas
    if (neededWei > balanceWei) return { assigned, shortage: { signer, balanceWei, neededWei } }
    assigned.push({ ...batch, signer, nonce: account.nonce + BigInt(assigned.length), fees })
  }
  return { assigned, shortage: undefined }
}

/**
 * Gives batches to the first account that can pay for any of them, as far as its balance reaches (pure).
 * @returns `shortage` of the first account when none can pay for even the first batch
 */
export function assignFirst(
  batches: readonly Simulated[],
  accounts: readonly Account[],
  fees: Fees,
): { assigned: Assigned[]; shortage: Shortage | undefined } {
  const each = accounts.map((account) => assign(batches, account, fees))
  const paying = each.find(({ assigned }) => assigned.length > 0)
  return paying === undefined ? { assigned: [], shortage: each[0]?.shortage } : { ...paying, shortage: undefined }
}

/** Assigns batches to a signer that can pay for them. When no balance is enough for even the first batch, the hold is reported. */
export async function assignSigner(
  work: Work,
  at: AgreedHead,
  batches: readonly Simulated[],
  fees: Fees,
  { signers, inFlight }: { signers: readonly Signer[]; inFlight: readonly InFlightBatch[] },
): Promise<Assigned[]> {
  const accounts = await readAccounts(work, at, signers, inFlight)
  const { assigned, shortage } = assignFirst(batches, accounts, fees)
  if (shortage !== undefined) {
    const { signer, balanceWei, neededWei } = shortage
    const amounts = { balanceWei: String(balanceWei), neededWei: String(neededWei) }
    setHeld(work, 'gas-balance', { signer: signer.address, ...amounts })
  }
  return assigned
}

/** What a signer's unmined batches may cost at most: the dearest attempt of each. */
export function committedWei(unmined: readonly InFlightBatch[]): bigint {
  return unmined
    .map((batch) => presentAttempts(batch).map(({ gasLimit, fees }) => gasLimit * fees.maxFeePerGas))
    .reduce((sum, costs) => sum + costs.reduce((most, cost) => (cost > most ? cost : most), 0n), 0n)
}

async function readAccounts(
  work: Work,
  at: AgreedHead,
  signers: readonly Signer[],
  inFlight: readonly InFlightBatch[],
): Promise<Account[]> {
  const { db, chain } = work
  const nonces = await readNextNonces(db, chain.config.chainId)
  return await Promise.all(
    signers.map(async (signer) => {
      const nonce = nonces.get(signer.address)
      if (nonce === undefined) throw new Error(`the signer ${signer.address} is not registered`)
      const own = inFlight.filter((batch) => batch.status === 'signed' && batch.signer === signer.address)
      const balanceWei = await medianOf(at.nodes, (node) => readGasBalance(node, signer.address))
      return { signer, nonce, committedWei: committedWei(own), balanceWei }
    }),
  )
}
