/** The plan of a deployment, and what is unsafe about it, before anything is sent. */
import { type Address, type Hex, isAddressEqual, type LocalAccount, zeroAddress } from 'viem'
import { BUCKET_NAMES, type BucketName } from '../instructions.ts'
import type { DeploymentRoles } from './roles.ts'

/** A token bucket of the Settlement contract, in units of 10⁻⁶ coin. */
export type BucketLimit = { capacityMicro: bigint; refillPerSecondMicro: bigint }

/** A limit starts as `limit`; the limiter may raise it to `ceiling`, which only the admin can change. */
export type PlannedLimit = { limit: BucketLimit; ceiling: BucketLimit }

/** A timelock to create. Whoever may propose may also cancel. */
export type NewTimelock = { delaySeconds: number; proposers: readonly Address[]; executors: readonly Address[] }

export type DeploymentPlan = {
  rpcUrl: string
  /** The chain id that `rpcUrl` must have. */
  chainId: number
  /** Pays for the deployment; ends with no power. */
  deployer: LocalAccount
  /** `admin` is a timelock: an existing one, or one to be created. */
  roles: Omit<DeploymentRoles, 'admin'> & { admin: Address | NewTimelock }
  token: { name: string; symbol: string }
  limits: Readonly<Record<BucketName, PlannedLimit>>
  /** No ceiling may be above it. */
  maximum: BucketLimit
  /** keccak256 of the code of an existing timelock, where that is not this version's. */
  adminCodeHash?: Hex
  /** Where seized coins go; nothing can be seized until the admin has set it. */
  seizureAddress?: Address
  /**
   * What only a test chain may have: an admin that is a key (even the deployer's), and wallets linked without consent.
   */
  unsafe?: { admin?: boolean; linkWithoutConsent?: boolean }
  /** How often to ask for receipts; default 200 ms. */
  pollingIntervalMs?: number
}

/** The shortest delay of a timelock: time to see what it is about to do, and to cancel it. */
export const LEAST_DELAY_SECONDS = 86_400

/** The longest of one that is made here: it can be shortened only after having waited as long, so one of years by a slip of the unit governs nothing. */
const MOST_DELAY_SECONDS = 2_592_000

const MOST_IN_A_WORD = 2n ** 64n - 1n

/** One sentence for each reason why this must not be deployed; none when it may. */
export function findPlanProblems(plan: DeploymentPlan): string[] {
  return [...adminProblems(plan), ...roleProblems(plan), ...seizureProblems(plan), ...limitProblems(plan)]
}

function adminProblems({ roles, deployer, unsafe }: DeploymentPlan): string[] {
  const { admin } = roles
  if (typeof admin === 'string') {
    const isDeployer = isAddressEqual(admin, deployer.address)
    return isDeployer && unsafe?.admin !== true ? ['The deployer must not be the admin.'] : []
  }
  const problems: string[] = []
  if (admin.delaySeconds < LEAST_DELAY_SECONDS) problems.push(`A timelock waits at least ${LEAST_DELAY_SECONDS} s.`)
  if (admin.delaySeconds > MOST_DELAY_SECONDS)
    problems.push(`A timelock made here waits at most ${MOST_DELAY_SECONDS} s.`)
  if (admin.proposers.length === 0) problems.push('A timelock needs somebody who may propose.')
  if (admin.executors.length === 0) problems.push('A timelock needs somebody who may execute.')
  if ([...admin.proposers, ...admin.executors].some((who) => isAddressEqual(who, deployer.address))) {
    problems.push('The deployer must neither propose to nor execute for the timelock.')
  }
  return problems
}

function roleProblems({ roles, deployer, unsafe }: DeploymentPlan): string[] {
  const { admin: _admin, ...others } = roles
  return Object.entries(others).flatMap(([name, holders]) => [
    ...(holders.length === 0 ? [`There must be ${name}.`] : []),
    ...(holders.some((holder) => isAddressEqual(holder, zeroAddress))
      ? [`The zero address is among the ${name}.`]
      : []),
    ...(unsafe?.admin !== true && holders.some((holder) => isAddressEqual(holder, deployer.address))
      ? [`The deployer must not be among the ${name}.`]
      : []),
  ])
}

/** The deployer's key is thrown away once the contracts stand. */
function seizureProblems({ seizureAddress, deployer, unsafe }: DeploymentPlan): string[] {
  if (seizureAddress === undefined || unsafe?.admin === true) return []
  return isAddressEqual(seizureAddress, deployer.address) ? ['Seized coins must not go to the deployer.'] : []
}

function limitProblems({ limits, maximum }: DeploymentPlan): string[] {
  return BUCKET_NAMES.flatMap((kind) => {
    const { limit, ceiling } = limits[kind]
    return [
      ...(isAbove(limit, ceiling) ? [`The ${kind} limit is above its ceiling.`] : []),
      ...(isAbove(ceiling, maximum) ? [`The ceiling of ${kind}s is above the stated maximum.`] : []),
      ...(ceiling.capacityMicro > MOST_IN_A_WORD || ceiling.refillPerSecondMicro > MOST_IN_A_WORD
        ? [`The ceiling of ${kind}s does not fit the contract: ${MOST_IN_A_WORD} units of 10⁻⁶ at most.`]
        : []),
    ]
  })
}

/** Whether a bucket holds or refills more than another. */
export function isAbove(one: BucketLimit, other: BucketLimit): boolean {
  return one.capacityMicro > other.capacityMicro || one.refillPerSecondMicro > other.refillPerSecondMicro
}
