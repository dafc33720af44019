/** Checks that deployed contracts are what they should be: code, names, roles, handovers, ceilings, consent, numbers of blocks. It needs no logs. */

import { type Abi, type Address, getAddress, type Hex, isAddressEqual, zeroAddress } from 'viem'
import { coinAbi } from '../generated/coin.ts'
import { settlementAbi } from '../generated/settlement.ts'
import { BUCKET_NAMES, type BucketName } from '../instructions.ts'
import type { RpcNode } from '../node.ts'
import { type BlockRef, readView } from '../reads.ts'
import { findAdminProblems } from './admin.ts'
import { findCodeProblems } from './code.ts'
import { findNumberProblems } from './own-numbers.ts'
import { type BucketLimit, isAbove } from './plan.ts'
import { type DeploymentRoles, ROLE_IDS, type RoleName, wantedHolders } from './roles.ts'

/** What the contracts of a chain should be. */
export type WantedDeployment = {
  coin: Address
  settlement: Address
  token: { name: string; symbol: string }
  roles: DeploymentRoles
  ceilings: Readonly<Record<BucketName, BucketLimit>>
  /** keccak256 of the timelock's code, where that is not this version's. */
  adminCodeHash?: Hex | undefined
  /** What only a test chain may have. */
  unsafe?: { admin?: boolean; linkWithoutConsent?: boolean } | undefined
}

/** `danger`: somebody can do what nobody should be able to do. Otherwise something is missing, and less works. */
export type DeploymentProblem = { text: string; danger: boolean }

/**
 * Reads everything that decides who can do what, from one node.
 * @returns one sentence for each difference, dangers first; none when all is as wanted
 * @throws RpcAnswerError, RpcUnreachableError when the node cannot tell
 */
export async function findDeploymentProblems(node: RpcNode, wanted: WantedDeployment): Promise<DeploymentProblem[]> {
  const code = await findCodeProblems(node, wanted.coin, wanted.settlement)
  // Foreign code may answer anything, so nothing that it says is worth reading.
  if (code.length > 0) return code.map(dangerous)
  const admin =
    wanted.unsafe?.admin === true
      ? []
      : await findAdminProblems(node, wanted.roles.admin, { codeHash: wanted.adminCodeHash })
  const numbers = await findNumberProblems(node)
  const found = await Promise.all([
    nameProblems(node, wanted),
    roleProblems(node, wanted),
    handoverProblems(node, wanted),
    limitProblems(node, wanted),
  ])
  const problems = [...[...admin, ...numbers].map(dangerous), ...found.flat()]
  return [...problems.filter(({ danger }) => danger), ...problems.filter(({ danger }) => !danger)]
}

function dangerous(text: string): DeploymentProblem {
  return { text, danger: true }
}

async function nameProblems(node: RpcNode, wanted: WantedDeployment): Promise<DeploymentProblem[]> {
  const ofCoin = (functionName: string) => readView(node, { address: wanted.coin, abi: coinAbi, functionName })
  const settledCoin = (await readView(node, {
    address: wanted.settlement,
    abi: settlementAbi,
    functionName: 'coin',
  })) as Address
  const facts: [string, unknown, unknown][] = [
    ['name', await ofCoin('name'), wanted.token.name],
    ['symbol', await ofCoin('symbol'), wanted.token.symbol],
    ['number of decimals', await ofCoin('decimals'), 6],
  ]
  const problems = facts
    .filter(([, actual, expected]) => actual !== expected)
    .map(([what, actual, expected]) => dangerous(`The coin's ${what} is ${actual}, not ${expected}.`))
  if (!isAddressEqual(settledCoin, wanted.coin))
    problems.push(dangerous(`Settlement settles ${settledCoin}, not ${wanted.coin}.`))
  if (wanted.unsafe?.linkWithoutConsent !== true && !(await ofCoin('consentRequired')))
    problems.push(dangerous('The coin lets wallets be linked without consent: it is for test chains only.'))
  return problems
}

const contractsOf = ({ coin, settlement }: WantedDeployment) =>
  [
    ['coin', coin, coinAbi],
    ['settlement', settlement, settlementAbi],
  ] as const

async function roleProblems(node: RpcNode, wanted: WantedDeployment): Promise<DeploymentProblem[]> {
  const holders = wantedHolders(wanted.roles, wanted.settlement)
  const problems: DeploymentProblem[] = []
  for (const [name, address, abi] of contractsOf(wanted)) {
    for (const [role, expected] of Object.entries(holders[name]) as [RoleName, readonly Address[]][]) {
      const view = { address, abi: abi as Abi, functionName: 'getRoleMembers', args: [ROLE_IDS[role]] }
      const actual = (await readView(node, view)) as readonly Address[]
      problems.push(...differences(name, role, new Set(actual.map(normal)), new Set(expected.map(normal))))
    }
  }
  return problems
}

function normal(address: Address): Address {
  return getAddress(address)
}

function differences(
  contract: string,
  role: RoleName,
  actual: ReadonlySet<Address>,
  wanted: ReadonlySet<Address>,
): DeploymentProblem[] {
  return [
    ...[...wanted.difference(actual)].map((who) => ({
      text: `${role} of the ${contract}: ${who} is missing.`,
      danger: false,
    })),
    ...[...actual.difference(wanted)].map((who) => dangerous(`${role} of the ${contract}: ${who} should not be.`)),
  ]
}

/** Whoever a contract is being handed over to becomes its admin by their own word alone, and acts without delay unless they are a timelock, too. */
async function handoverProblems(node: RpcNode, wanted: WantedDeployment): Promise<DeploymentProblem[]> {
  const problems: DeploymentProblem[] = []
  for (const [name, address, abi] of contractsOf(wanted)) {
    const [next] = (await readView(node, { address, abi, functionName: 'pendingDefaultAdmin' })) as [Address, number]
    if (isAddressEqual(next, zeroAddress) || isAddressEqual(next, wanted.roles.admin)) continue
    const unfit =
      wanted.unsafe?.admin === true ? [] : await findAdminProblems(node, next, { codeHash: wanted.adminCodeHash })
    const text = [
      `The ${name} is being handed over to ${normal(next)}, who may become its admin at any time.`,
      ...unfit,
    ]
    problems.push({ text: text.join(' '), danger: unfit.length > 0 })
  }
  return problems
}

async function limitProblems(node: RpcNode, wanted: WantedDeployment): Promise<DeploymentProblem[]> {
  const problems: DeploymentProblem[] = []
  for (const [number, kind] of BUCKET_NAMES.entries()) {
    const ceiling = await readBucketLimit(node, wanted.settlement, 'ceilingOf', number)
    if (isAbove(ceiling, wanted.ceilings[kind]))
      problems.push(dangerous(`The ceiling of ${kind}s is above what it should be.`))
    else if (isAbove(wanted.ceilings[kind], ceiling))
      problems.push({ text: `The ceiling of ${kind}s is below what it should be.`, danger: false })
  }
  return problems
}

/** A limit or a ceiling of the Settlement contract. */
export async function readBucketLimit(
  node: RpcNode,
  settlement: Address,
  functionName: 'limitOf' | 'ceilingOf',
  kind: number,
  block: BlockRef = 'latest',
): Promise<BucketLimit> {
  const view = { address: settlement, abi: settlementAbi, functionName, args: [kind] }
  const { capacity, refillPerSecond } = (await readView(node, view, block)) as {
    capacity: bigint
    refillPerSecond: bigint
  }
  return { capacityMicro: capacity, refillPerSecondMicro: refillPerSecond }
}
