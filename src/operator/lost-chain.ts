/** Calling a chain lost or found: what must be so before, and what whoever decides is told. */
import { ChainError } from '../chain-errors.ts'
import type { Queryable } from '../db/database.ts'
import { isChainLost, readLostChains } from '../db/lost-chains.sql.ts'
import { formatAmount } from '../money.ts'
import { readCoinsOn } from '../reserves/lost-coins.sql.ts'
import { readProof } from '../reserves/proofs.sql.ts'
import type { NotLost } from '../settlement/lost/lose.ts'
import { otherContracts } from '../settlement/own-contracts.ts'
import { findChain } from '../settlement/tables/chains.sql.ts'
import { findLastSeen } from '../settlement/tables/lost-chains.sql.ts'
import type { OperatorChain, OperatorDeps } from './deps.ts'
import { OperatorError } from './errors.ts'
import { countUnseenBurns, readOpenOrders } from './lost-chain.sql.ts'

/** The configured chains but for those that are lost: whatever is done on all of them is done on these. */
export function standing({ chains, isLost = () => false }: Pick<OperatorDeps, 'chains' | 'isLost'>) {
  return chains.filter(({ config }) => !isLost(config.chainId))
}

/** @throws OperatorError CONFLICT while a node shows a block of it */
export async function requireSilence(chain: OperatorChain | undefined): Promise<void> {
  const head = await chain?.reader.head().catch((error: unknown) => {
    if (error instanceof ChainError) return undefined
    throw error
  })
  if (chain === undefined || head === undefined) return
  const { chainId } = chain.config
  throw new OperatorError(
    'CONFLICT',
    `A node of chain ${chainId} shows its block ${head.number}: it is not gone. Where it has halted for ever, take its RPC addresses away first.`,
  )
}

/**
 * Makes sure that a chain which is to be called found can be read: other work waits until it is, and would wait for ever for one that cannot be.
 * @throws OperatorError CONFLICT where no node shows it, it is another chain, or its contracts are not as the chains file says
 */
export async function requireSight(db: Queryable, { config, admin, reader }: OperatorChain): Promise<void> {
  const { chainId } = config
  const [status, genesisHash] = await Promise.all([admin.status(), reader.genesisHash()]).catch((error: unknown) => {
    if (error instanceof ChainError) return []
    throw error
  })
  if (status === undefined)
    throw new OperatorError('CONFLICT', `No node shows chain ${chainId}: see "coin chain status", then try again.`)
  const own = await findChain(db, chainId)
  const other = own && otherContracts(config, own)
  if (other !== undefined) throw new OperatorError('CONFLICT', other)
  const danger = status.findings.find((finding) => finding.danger)?.text
  const why = own !== undefined && own.genesisHash !== genesisHash ? 'it begins with another block.' : danger
  if (why !== undefined) throw new OperatorError('CONFLICT', `It is not the chain that was lost: ${why}`)
}

const sayUnknown = (chainId: number) =>
  `No settler has ever worked with chain ${chainId}: nothing is there. Take it out of the chains files.`

export function sayNotLost(chainId: number, why: NotLost): string {
  if (why.refused !== 'seen')
    return why.refused === 'unknown'
      ? sayUnknown(chainId)
      : `Chain ${chainId} is called lost already: see "coin chain status".`
  const { observedBlock, observedAt } = why.lastSeen
  return (
    `A settler has seen block ${observedBlock} of chain ${chainId} at ${observedAt.toISOString()}: a chain is called lost once none has seen ` +
    'anything of it for a day. Until then its orders wait.'
  )
}

/** What is there: as plain words, for the one who approves and for the audit log. */
export async function describeLostChain(db: Queryable, chainId: number): Promise<Record<string, string>> {
  const lastSeen = await findLastSeen(db, chainId)
  const lost = (await readLostChains(db)).find((each) => each.chainId === chainId)
  if (lastSeen === undefined) return { seen: `No settler has ever worked with chain ${chainId}.` }
  const { open, isWhole } = await readOpenOrders(db, chainId)
  const unseen = await countUnseenBurns(db, chainId)
  const notFinal = open.map((each) => `${each.orders} ${each.direction} over ${formatAmount(each.amountMicro)}`)
  return {
    lastBlock: `${lastSeen.observedBlock}, seen at ${lastSeen.observedAt.toISOString()}`,
    ...(lost === undefined
      ? {}
      : { lost: `at ${lost.lostAt.toISOString()} by ${lost.lostBy}, because: ${lost.reason}` }),
    staysOwed: `${formatAmount(await readCoinsOn(db, chainId))} coin`,
    ...(await describeProven(db, chainId)),
    notFinal: notFinal.length === 0 ? 'nothing' : `${isWhole ? '' : 'at least '}${notFinal.join(', ')}`,
    burnsNotSeen: String(unseen),
  }
}

/** What its nodes said last, as it was signed: the books alone say what stays owed, and whoever has written to them since is seen by the difference. */
async function describeProven(db: Queryable, chainId: number): Promise<{ lastProven?: string }> {
  const proof = await readProof(db)
  const supply = proof?.supplies.find((each) => each.chainId === chainId)
  if (proof === undefined || supply === undefined) return {}
  const { supplyMicro, blockNumber } = supply
  return { lastProven: `${formatAmount(BigInt(supplyMicro))} coin at block ${blockNumber}, at ${proof.madeAt}` }
}

/** Whether it was seen since, and whether it is lost: what is there moves until then. */
export async function lookAtLostChain(tx: Queryable, chainId: number) {
  const seenAt = (await findLastSeen(tx, chainId))?.observedAt ?? null
  return { seenAt, isLost: await isChainLost(tx, chainId) }
}
