/** Who may do what with the contracts, within which limits, and the code that runs: as of one block, from one node. */

import { type Abi, type Address, getAddress, type Hex } from 'viem'
import { readImplementation } from './deployment/code.ts'
import type { BucketLimit } from './deployment/plan.ts'
import { ROLE_IDS, type RoleName } from './deployment/roles.ts'
import { readBucketLimit } from './deployment/verify.ts'
import { coinAbi } from './generated/coin.ts'
import { settlementAbi } from './generated/settlement.ts'
import { BUCKET_NAMES, type BucketName } from './instructions.ts'
import type { RpcNode } from './node.ts'
import { readView } from './reads.ts'

export type ContractName = 'coin' | 'settlement'
export type Bound = 'limit' | 'ceiling'

/** Holders are checksummed and sorted, so that equal powers look equal. */
export type Powers = {
  roles: { contract: ContractName; role: RoleName; holders: readonly Address[] }[]
  buckets: { name: Bound; kind: BucketName; bucket: BucketLimit }[]
  code: { contract: ContractName; implementation: Address }[]
}

const ROLES: readonly [ContractName, readonly RoleName[]][] = [
  ['coin', ['admin', 'settler', 'linker', 'freezer', 'pauser', 'unpauser']],
  ['settlement', ['admin', 'signer', 'limiter', 'pauser', 'unpauser']],
]
const ABIS = { coin: coinAbi, settlement: settlementAbi } as const

/**
 * Reads all of them.
 * @throws RpcAnswerError, RpcUnreachableError when the node cannot tell
 */
export async function readPowers(
  node: RpcNode,
  contracts: Readonly<Record<ContractName, Address>>,
  blockHash: Hex,
): Promise<Powers> {
  const block = { blockHash }
  const roles = ROLES.flatMap(([contract, names]) =>
    names.map(async (role) => {
      const abi = ABIS[contract] as Abi
      const view = { address: contracts[contract], abi, functionName: 'getRoleMembers', args: [ROLE_IDS[role]] }
      const holders = (await readView(node, view, block)) as readonly Address[]
      return { contract, role, holders: holders.map((holder) => getAddress(holder)).sort() }
    }),
  )
  const buckets = (['limit', 'ceiling'] as const).flatMap((name) =>
    BUCKET_NAMES.map(async (kind, number) => {
      const bucket = await readBucketLimit(node, contracts.settlement, `${name}Of`, number, block)
      return { name, kind, bucket }
    }),
  )
  const code = (['coin', 'settlement'] as const).map(async (contract) => {
    return { contract, implementation: await readImplementation(node, contracts[contract], block) }
  })
  const all = await Promise.all([Promise.all(roles), Promise.all(buckets), Promise.all(code)])
  return { roles: all[0], buckets: all[1], code: all[2] }
}
