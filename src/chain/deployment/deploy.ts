/** Puts both contracts on a chain, and leaves nobody with a power who should not have it. */

import {
  type Address,
  createPublicClient,
  defineChain,
  encodeDeployData,
  getAddress,
  getContractAddress,
  type Hex,
  http,
  isAddressEqual,
  zeroAddress,
} from 'viem'
import { coinBytecode } from '../generated/coin.ts'
import { proxyAbi, proxyBytecode } from '../generated/proxy.ts'
import { settlementBytecode } from '../generated/settlement.ts'
import { timelockAbi, timelockBytecode } from '../generated/timelock.ts'
import { BUCKET_NAMES, type BucketName } from '../instructions.ts'
import { connectNode, type RpcNode } from '../node.ts'
import { readNonce, readQuantity } from '../reads.ts'
import { findAdminProblems } from './admin.ts'
import { initializeCoin, initializeSettlement } from './beginning.ts'
import { requireEvmVersion } from './evm-version.ts'
import { requireGasMoney } from './gas-money.ts'
import { findNumberProblems } from './own-numbers.ts'
import { patient } from './patient.ts'
import { type BucketLimit, type DeploymentPlan, findPlanProblems } from './plan.ts'
import type { DeploymentRoles } from './roles.ts'
import { type Call, createCallSender, type SendCalls } from './send-calls.ts'
import { findDeploymentProblems, readBucketLimit } from './verify.ts'

/** Where the contracts are. `coin` and `settlement` are the proxies; `fromBlock` is the block of the first creation. */
export type Deployment = {
  coin: Address
  settlement: Address
  coinImplementation: Address
  settlementImplementation: Address
  admin: Address
  fromBlock: bigint
}

/**
 * Deploys Coin and Settlement behind ERC-1967 proxies, each initialised in its proxy's constructor with everybody who
 * should have a role; the deployer never has one. Then reads code, names, roles and limits back.
 *
 * @throws Error when the plan is unsafe, the chain is another one or too old, a transaction fails or is late, or the
 * result is not as planned
 */
export async function deployContracts(plan: DeploymentPlan): Promise<Deployment> {
  const { rpcUrl, chainId, deployer, pollingIntervalMs = 200 } = plan
  const node = patient(connectNode(rpcUrl))
  await requireDeployable(plan)
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: pollingIntervalMs })
  const send = createCallSender({ client, chain, rpcUrl, account: deployer })
  const admin = await settleOnAdmin(send, plan)
  const deployment = await createContracts(send, node, plan, admin)
  await verify(node, plan, deployment)
  return deployment
}

/**
 * Checks everything that can be checked before anything is sent.
 * @throws Error when the plan is unsafe, the chain is another one, too old, or tells contracts other blocks, the admin is no timelock, or the deployer has too little gas money
 */
export async function requireDeployable(plan: DeploymentPlan): Promise<void> {
  refuse(findPlanProblems(plan))
  const node = patient(connectNode(plan.rpcUrl))
  const chainId = await readQuantity(node, 'eth_chainId')
  if (chainId !== BigInt(plan.chainId)) throw new Error(`The RPC address is of chain ${chainId}, not ${plan.chainId}.`)
  await requireEvmVersion(node)
  refuse(await findNumberProblems(node))
  const { admin } = plan.roles
  if (typeof admin === 'string' && plan.unsafe?.admin !== true)
    refuse(await findAdminProblems(node, admin, { codeHash: plan.adminCodeHash, outsider: plan.deployer.address }))
  await requireGasMoney(node, plan.deployer.address)
}

function refuse(problems: readonly string[]): void {
  if (problems.length > 0) throw new Error(problems.join('\n'))
}

/** The existing admin, or a timelock created now. */
async function settleOnAdmin(send: SendCalls, { roles: { admin } }: DeploymentPlan): Promise<Address> {
  if (typeof admin === 'string') return admin
  const args = [BigInt(admin.delaySeconds), admin.proposers, admin.executors, zeroAddress] as const
  const [receipt] = await send({ data: encodeDeployData({ abi: timelockAbi, bytecode: timelockBytecode, args }) })
  return createdBy(receipt)
}

async function createContracts(
  send: SendCalls,
  node: RpcNode,
  plan: DeploymentPlan,
  admin: Address,
): Promise<Deployment> {
  const [first, second] = await send({ data: coinBytecode }, { data: settlementBytecode })
  const coinImplementation = createdBy(first)
  const settlementImplementation = createdBy(second)

  // The two contracts name each other from the start, so that nobody has to be trusted with a power in between.
  const nonce = await readNonce(node, plan.deployer.address, 'pending')
  const coin = getContractAddress({ from: plan.deployer.address, nonce })
  const settlement = getContractAddress({ from: plan.deployer.address, nonce: nonce + 1n })
  const created = await send(
    proxyCreation(coinImplementation, initializeCoin(plan, admin, settlement)),
    proxyCreation(settlementImplementation, initializeSettlement(plan, admin, coin)),
  )
  if (!isAddressEqual(createdBy(created[0]), coin) || !isAddressEqual(createdBy(created[1]), settlement))
    throw new Error('the deployer sent another transaction meanwhile: abandon what was created and deploy again')
  const fromBlock = first?.blockNumber ?? 0n
  return { coin, settlement, coinImplementation, settlementImplementation, admin, fromBlock }
}

function createdBy(receipt: { contractAddress?: Address | null | undefined } | undefined): Address {
  if (!receipt?.contractAddress) throw new Error('the receipt of a creation names no contract')
  return getAddress(receipt.contractAddress)
}

function proxyCreation(implementation: Address, initialization: Hex): Call {
  return { data: encodeDeployData({ abi: proxyAbi, bytecode: proxyBytecode, args: [implementation, initialization] }) }
}

async function verify(node: RpcNode, plan: DeploymentPlan, deployment: Deployment): Promise<void> {
  const { coin, settlement, admin } = deployment
  const { token, limits, unsafe } = plan
  const roles: DeploymentRoles = { ...plan.roles, admin }
  const problems = await findDeploymentProblems(node, {
    coin,
    settlement,
    token,
    roles,
    ceilings: ceilingsOf(plan),
    adminCodeHash: plan.adminCodeHash,
    unsafe,
  })
  const texts = problems.map(({ text }) => text)
  for (const [number, kind] of BUCKET_NAMES.entries()) {
    const { capacityMicro, refillPerSecondMicro } = await readBucketLimit(node, settlement, 'limitOf', number)
    const wanted = limits[kind].limit
    if (capacityMicro !== wanted.capacityMicro || refillPerSecondMicro !== wanted.refillPerSecondMicro)
      texts.push(`The ${kind} limit is not as wanted.`)
  }
  if (texts.length > 0) throw new Error(`the deployment did not end as wanted. ${texts.join(' ')}`)
}

function ceilingsOf({ limits }: DeploymentPlan): Record<BucketName, BucketLimit> {
  return { mint: limits.mint.ceiling, burn: limits.burn.ceiling, transfer: limits.transfer.ceiling }
}
