/** Tells who was given, or lost, a role of the timelock: its proposers decide what becomes true of the contracts, its cancellers what does not. */
import { type Address, isAddressEqual } from 'viem'
import type { TimelockRoleChange } from '../../chain/timelock.ts'
import type { Work } from '../work.ts'
import { report } from './report.ts'

/** What an operation of the timelock did was told, and waited for its delay. A role that somebody else gave was never scheduled: it pauses. */
export async function tellRoleChange(
  work: Work,
  timelock: Address,
  { role, holder, isGiven, by, txHash, blockNumber }: TimelockRoleChange,
  seenBlock: bigint,
): Promise<void> {
  const name = `the ${role} role of the timelock ${timelock}`
  const isScheduled = isAddressEqual(by, timelock)
  await report(work, {
    kind: 'role',
    details: `${isGiven ? `${holder} was given ${name}` : `${name} was taken from ${holder}`} by ${isScheduled ? 'an operation of it' : `${by}, without any operation`}`,
    mayPause: isGiven && !isScheduled,
    transactions: [{ txHash, block: String(blockNumber), from: null, to: null, amount: null }],
    afterBlock: blockNumber - 1n,
    seenBlock,
  })
}
