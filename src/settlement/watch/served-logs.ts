/** What logs add to what state has shown: who did it. Some providers serve none. */
import type { RpcNode } from '../../chain/node.ts'
import { agree } from '../../chain/quorum.ts'
import type { FollowedHead } from '../finality.ts'
import type { Work } from '../work.ts'

/** What a quorum of nodes finds in their logs; nothing where too few of them serve these. */
export async function servedLogs<T>(
  { chain }: Work,
  at: FollowedHead,
  find: (node: RpcNode) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  return await agree(at.nodes, chain.config.quorum, find).then(
    ({ value }) => value,
    () => [],
  )
}
