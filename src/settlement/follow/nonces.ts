/** The next nonces of signers on chain: read where they may have moved, and taken over where the chain is ahead of the database. */
import { type AgreedHead, agree } from '../../chain/quorum.ts'
import { underLease } from '../../leases/leases.sql.ts'
import { readNextNonces, reconcileNonce } from '../tables/chains.sql.ts'
import type { Work } from '../work.ts'
import { noncesAt } from './look.ts'

/** Whether all signers are asked again, also those with nothing under way: another one may be using their keys. */
export function areNoncesDue({ chain, memory }: Work, { head }: AgreedHead): boolean {
  const { noncesAtBlock } = memory.follow
  if (noncesAtBlock === undefined || head.number < noncesAtBlock) return true
  return head.number >= noncesAtBlock + BigInt(chain.config.confirmations)
}

/**
 * The signers, configured or carrying a batch, whose next nonce can be another than it was (pure). Of one whose transactions
 * the chain has all taken nothing is under way that could move it.
 * @param seen next nonces that the chain has shown
 * @param stored next nonces by the database
 */
export function movingSigners(
  configured: readonly string[],
  carriers: readonly string[],
  { seen, stored }: { seen: Readonly<Record<string, bigint>>; stored: ReadonlyMap<string, bigint> },
): string[] {
  const moving = configured.filter((address) => seen[address] === undefined || seen[address] !== stored.get(address))
  return [...new Set([...moving, ...carriers])]
}

/** A chain ahead of the stored nonce has seen transactions that this database does not know. */
export async function reconcileNonces({ db, chain, lease, logger, memory }: Work): Promise<void> {
  const { chainId } = chain.config
  const known = await readNextNonces(db, chainId)
  for (const { address } of chain.signers) {
    const onChain = memory.follow.view?.nonces[address]
    const stored = known.get(address)
    if (onChain === undefined || (stored !== undefined && onChain <= stored)) continue
    await underLease(db, lease, (tx) => reconcileNonce(tx, chainId, address, onChain))
    const fields = { chainId, signer: address, stored: stored?.toString(), onChain: onChain.toString() }
    if (stored === undefined) logger.info(fields, 'signer registered')
    else
      logger.error(
        fields,
        'the chain knows transactions of this signer that the database does not: backup, or shared key',
      )
  }
}

/** Before a signer signs that has nothing under way: nonces that were not asked for at this head are. */
export async function catchUpNonces(work: Work, at: AgreedHead): Promise<void> {
  const { chain, memory } = work
  if (memory.follow.view === undefined || memory.follow.noncesAtBlock === at.head.number) return
  const { value: nonces } = await agree(at.nodes, chain.config.quorum, (node) =>
    noncesAt(
      node,
      chain.signers.map(({ address }) => address),
      { blockHash: at.head.hash },
    ),
  )
  memory.follow.view = { ...memory.follow.view, nonces: { ...memory.follow.view.nonces, ...nonces } }
  memory.follow.noncesAtBlock = at.head.number
  await reconcileNonces(work)
}
