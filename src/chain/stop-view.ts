/** What one node says while a chain is being stopped. */
import type { Address } from 'viem'
import { lowerMedian, valuesOf } from './answers.ts'
import type { KeyAction } from './key-action.ts'
import type { RpcNode } from './node.ts'
import { type BlockHead, readBlock, readCall, readGasBalance, readNonce } from './reads.ts'
import { readTip } from './tip.ts'

/** Next nonces on chain and in the pool, and the native balance in wei. */
export type Account = { latest: bigint; pending: bigint; balance: bigint }

export type StopView = {
  head: BlockHead
  tip: bigint
  /** Whether the newest block shows the effect, and whether it has been there for `confirmations` blocks. */
  isShown: boolean
  isDeep: boolean
  accounts: Readonly<Record<Address, Account>>
}

/** Asks one node for all of it. @throws RpcAnswerError, RpcUnreachableError */
export async function readStopView(
  node: RpcNode,
  { action, accounts, confirmations }: { action: KeyAction; accounts: readonly Address[]; confirmations: number },
): Promise<StopView> {
  // First the pool, then the state: what was mined in between shows in the state, and cannot hide from both.
  const entries = await Promise.all(
    accounts.map(async (address) => [address, await readAccount(node, address)] as const),
  )
  const head = await readBlock(node, 'latest')
  if (head === undefined) throw new Error(`${node.label}: has no blocks`)
  const deep = head.number - BigInt(confirmations) + 1n
  const showsAt = async (block: bigint) =>
    block >= 0n && (await readCall(node, { to: action.to, data: action.effect.data }, block)) === action.effect.expected
  const [isShown, wasShown, tip] = await Promise.all([
    showsAt(head.number),
    showsAt(deep).catch(() => false),
    readTip(node),
  ])
  return { head, tip, isShown, isDeep: isShown && wasShown, accounts: Object.fromEntries(entries) }
}

async function readAccount(node: RpcNode, address: Address): Promise<Account> {
  const [latest, pending, balance] = await Promise.all([
    readNonce(node, address, 'latest'),
    readNonce(node, address, 'pending'),
    readGasBalance(node, address),
  ])
  return { latest, pending, balance }
}

/** The next nonce of an account, as most of the nodes see it. */
export function nextNonce(views: readonly StopView[], address: Address): bigint {
  return middle(views, address, 'latest')
}

/** The next nonce; of two nodes that differ nobody can tell which one is wrong, so both are tried in turns. */
export function nextNonces(views: readonly StopView[], address: Address): bigint[] {
  if (views.length > 2) return [nextNonce(views, address)]
  return [...new Set(views.map(({ accounts }) => accounts[address]?.latest ?? 0n))].sort((a, b) => (a < b ? -1 : 1))
}

/** The middle of what the nodes say about an account. */
export function middle(views: readonly StopView[], address: Address, field: keyof Account): bigint {
  return lowerMedian(valuesOf(views.map(({ accounts }) => ({ value: accounts[address]?.[field] ?? 0n }))))
}
