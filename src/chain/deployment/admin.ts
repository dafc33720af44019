/** Whether the admin of the contracts is a proper timelock. */
import { type Address, encodeFunctionData, type Hex, hexToBigInt, keccak256, parseAbi, size, toHex } from 'viem'
import { RpcAnswerError, type RpcNode } from '../node.ts'
import { readCall, readCode } from '../reads.ts'
import { LEAST_DELAY_SECONDS } from './plan.ts'
import { ROLE_IDS } from './roles.ts'

const timelockAbi = parseAbi([
  'function getMinDelay() view returns (uint256)',
  'function hasRole(bytes32 role, address account) view returns (bool)',
  'function PROPOSER_ROLE() view returns (bytes32)',
  'function EXECUTOR_ROLE() view returns (bytes32)',
])

/** Whoever has it can stop every change, also one that would take it away. Timelocks before OpenZeppelin 4.6 have no such role. */
const CANCELLER = BigInt(keccak256(toHex('CANCELLER_ROLE')))

type TimelockCall = Parameters<typeof encodeFunctionData<typeof timelockAbi>>[0]

/**
 * Checks that an admin is a timelock (OpenZeppelin's TimelockController) that waits long enough, administers itself,
 * and gives an outsider no power.
 * @param outsider who must have no power over it, such as the deployer
 * @returns one sentence for each problem
 * @throws RpcUnreachableError
 */
export async function findAdminProblems(node: RpcNode, admin: Address, outsider?: Address): Promise<string[]> {
  if ((await readCode(node, admin)) === '0x') return [`The admin ${admin} is no timelock: it has no code.`]
  const ask = (call: Omit<TimelockCall, 'abi'>) => readWord(node, admin, { abi: timelockAbi, ...call } as TimelockCall)
  const holds = (role: bigint, holder: Address) =>
    ask({ functionName: 'hasRole', args: [`0x${role.toString(16).padStart(64, '0')}`, holder] })
  const delay = await ask({ functionName: 'getMinDelay' })
  const proposer = await ask({ functionName: 'PROPOSER_ROLE' })
  const executor = await ask({ functionName: 'EXECUTOR_ROLE' })
  const isOwnAdmin = await holds(BigInt(ROLE_IDS.admin), admin)
  if (delay === undefined || proposer === undefined || executor === undefined || isOwnAdmin === undefined)
    return [`The admin ${admin} is no timelock: it does not answer as one.`]

  const problems: string[] = []
  if (delay < LEAST_DELAY_SECONDS)
    problems.push(`The timelock ${admin} waits ${delay} s, less than ${LEAST_DELAY_SECONDS} s.`)
  if (isOwnAdmin !== 1n) problems.push(`The timelock ${admin} does not administer itself.`)
  if (outsider === undefined) return problems
  const powers = await Promise.all([0n, proposer, executor, CANCELLER].map((role) => holds(role, outsider)))
  if (powers.some((power) => power !== 0n)) problems.push(`The timelock ${admin} gives power to ${outsider}.`)
  return problems
}

/** The single word that a view returns; undefined when it reverts or returns something else. */
async function readWord(node: RpcNode, to: Address, call: TimelockCall): Promise<bigint | undefined> {
  try {
    const answer: Hex = await readCall(node, { to, data: encodeFunctionData(call) }, 'latest')
    return size(answer) === 32 ? hexToBigInt(answer) : undefined
  } catch (error) {
    if (error instanceof RpcAnswerError) return undefined
    throw error
  }
}
