/** Whether the admin of the contracts is a proper timelock. */
import { type Address, encodeFunctionData, type Hex, hexToBigInt, keccak256, parseAbi, size, toHex } from 'viem'
import { timelockRuntime } from '../generated/timelock.ts'
import { RpcAnswerError, type RpcNode } from '../node.ts'
import { readCall, readCode } from '../reads.ts'
import { isCode } from './code.ts'
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

/** `codeHash`: of code other than this version's that somebody has read and configured. `outsider`: who must have no power over it, such as the deployer. */
type Expected = { codeHash?: Hex | undefined; outsider?: Address }

/**
 * Checks that an admin is a timelock (OpenZeppelin's TimelockController, by its code) that waits long enough, administers
 * itself, and gives an outsider no power.
 * @returns one sentence for each problem
 * @throws RpcUnreachableError
 */
export async function findAdminProblems(
  node: RpcNode,
  admin: Address,
  { codeHash, outsider }: Expected,
): Promise<string[]> {
  const code = await readCode(node, admin)
  if (code === '0x') return [`The admin ${admin} is no timelock: it has no code.`]
  const ask = (call: Omit<TimelockCall, 'abi'>) => readWord(node, admin, { abi: timelockAbi, ...call } as TimelockCall)
  const holds = (role: bigint, holder: Address) =>
    ask({ functionName: 'hasRole', args: [`0x${role.toString(16).padStart(64, '0')}`, holder] })
  const delay = await ask({ functionName: 'getMinDelay' })
  const proposer = await ask({ functionName: 'PROPOSER_ROLE' })
  const executor = await ask({ functionName: 'EXECUTOR_ROLE' })
  const isOwnAdmin = await holds(BigInt(ROLE_IDS.admin), admin)
  if (delay === undefined || proposer === undefined || executor === undefined || isOwnAdmin === undefined)
    return [`The admin ${admin} is no timelock: it does not answer as one.`]

  const problems: string[] = codeProblems(admin, code, codeHash)
  if (delay < LEAST_DELAY_SECONDS)
    problems.push(`The timelock ${admin} waits ${delay} s, less than ${LEAST_DELAY_SECONDS} s.`)
  if (isOwnAdmin !== 1n) problems.push(`The timelock ${admin} does not administer itself.`)
  if (outsider === undefined) return problems
  const powers = await Promise.all([0n, proposer, executor, CANCELLER].map((role) => holds(role, outsider)))
  if (powers.some((power) => power !== 0n)) problems.push(`The timelock ${admin} gives power to ${outsider}.`)
  return problems
}

/** Code that answers as a timelock may still let somebody in; code that is configured was read by whoever configured it. */
function codeProblems(admin: Address, code: Hex, codeHash: Hex | undefined): string[] {
  const hash = keccak256(code)
  if (codeHash === undefined ? isCode(code, timelockRuntime, admin) : hash === codeHash) return []
  if (codeHash !== undefined) return [`The code of the timelock ${admin} has the hash ${hash}, not ${codeHash}.`]
  return [
    `The timelock ${admin} does not run the TimelockController of this version. Where its code was read and is wanted, ` +
      `say so with its hash: ${hash}.`,
  ]
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
