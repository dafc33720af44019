/** Binds a database for ever to a chain, with the same genesis and the same contracts, which nobody else can use. */
import type { Hex } from 'viem'
import { readContractHead } from '../chain/batch-reads.ts'
import type { Chain } from '../chain/chain.ts'
import { agreeOnDeployment } from '../chain/deployment/compare.ts'
import type { DeploymentProblem } from '../chain/deployment/verify.ts'
import { findFinalityProblems } from '../chain/finality-tag.ts'
import { settlementAbi } from '../chain/generated/settlement.ts'
import type { RpcNode } from '../chain/node.ts'
import { type AgreedHead, agree, agreedHead } from '../chain/quorum.ts'
import { readBlock, readQuantity, readView } from '../chain/reads.ts'
import type { Queryable } from '../db/database.ts'
import { otherContracts } from './own-contracts.ts'
import { findChain, insertChain } from './tables/chains.sql.ts'

/** The chain that answers is not the one that the database knows. The message says what to do. */
export class ChainMismatchError extends Error {
  override readonly name = 'ChainMismatchError'
}

/**
 * Registers the chain in the database when it is new, and otherwise checks that it is the same one, with contracts as they
 * should be.
 * @returns what is missing from the contracts' roles and limits, and which nodes do not say what is finalized, one sentence each:
 * less works, but nothing is unsafe
 * @throws ChainMismatchError when it is another chain, or somebody can do what nobody should; NoQuorumError when nodes
 * do not agree
 */
export async function registerChain(db: Queryable, chain: Chain): Promise<string[]> {
  const { chainId, coin, settlement } = chain.config
  const { head, nodes } = await agreedHead(chain.nodes, chain.config.quorum).catch(async (error: unknown) => {
    await refuseOtherChain(chain)
    throw error
  })
  const { value } = await agree(nodes, chain.config.quorum, (node) => identify(node, chain))
  const problem = problemOf(value, chain)
  if (problem !== undefined) throw new ChainMismatchError(problem)
  const found = await agreeOnDeployment(chain.config, nodes)
  const silent = await findFinalityProblems(chain.config, chain.nodes)
  const dangers = textsOf(found, { danger: true })
  if (dangers.length > 0) {
    throw new ChainMismatchError(
      `The contracts of chain ${chainId} are not as the chains file says: ${dangers.join(' ')} Find out who changed that: nothing is settled until then.`,
    )
  }
  const identity = { coinAddress: coin.address, settlementAddress: settlement, genesisHash: value.genesisHash }
  const hasHistory = (await findChain(db, chainId)) === undefined && (await haveBatches(chain, { head, nodes }))
  await insertChain(db, chainId, { ...identity, hasHistory, observedBlock: head.number, observedHash: head.hash })
  const row = await findChain(db, chainId)
  if (row?.genesisHash !== value.genesisHash) {
    throw new ChainMismatchError(
      `Chain ${chainId} begins with the block ${value.genesisHash}, and this database belongs to one that begins with ` +
        `${row?.genesisHash}: correct the RPC addresses or DATABASE_URL, or run "npm run sandbox:reset" for a sandbox whose chain was lost.`,
    )
  }
  const other = otherContracts(chain.config, row)
  if (other !== undefined) throw new ChainMismatchError(other)
  return [...textsOf(found, { danger: false }), ...silent]
}

async function haveBatches({ config }: Chain, { head, nodes }: AgreedHead): Promise<boolean> {
  const { value } = await agree(nodes, config.quorum, (node) =>
    readContractHead(node, config, { blockHash: head.hash }),
  )
  return value.lastBatchId > 0n
}

function textsOf(problems: readonly DeploymentProblem[], { danger }: { danger: boolean }): string[] {
  return problems.filter((problem) => problem.danger === danger).map(({ text }) => text)
}

/**
 * Nodes of another chain say nothing but that (`ofChain`).
 * @throws ChainMismatchError when so many are of another one that no quorum is left
 */
async function refuseOtherChain({ config: { chainId, quorum }, nodes }: Chain): Promise<void> {
  const said = await Promise.allSettled(nodes.map((node) => readQuantity(node, 'eth_chainId')))
  const others = said.flatMap((each) =>
    each.status === 'fulfilled' && each.value !== BigInt(chainId) ? each.value : [],
  )
  if (nodes.length - others.length >= quorum) return
  throw new ChainMismatchError(
    `The RPC addresses of chain ${chainId} lead to chain ${others[0]}: correct the chains file.`,
  )
}

type Identity = { genesisHash: Hex; coin: unknown }

async function identify(node: RpcNode, { config }: Chain): Promise<Identity> {
  const [genesis, coin] = await Promise.all([
    readBlock(node, 0n),
    readView(node, { address: config.settlement, abi: settlementAbi, functionName: 'coin' }),
  ])
  if (genesis === undefined)
    throw new ChainMismatchError(`${node.label} shows no first block of chain ${config.chainId}: check that node.`)
  return { genesisHash: genesis.hash, coin }
}

function problemOf(identity: Identity, { config }: Chain): string | undefined {
  if (identity.coin !== config.coin.address) {
    return `The Settlement contract ${config.settlement} settles the coin ${String(identity.coin)}, and the chains file has ${config.coin.address}: correct the chains file.`
  }
  return undefined
}
