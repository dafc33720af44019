import {
  type Address,
  createPublicClient,
  defineChain,
  encodeDeployData,
  encodeFunctionData,
  getAddress,
  type Hex,
  http,
  isAddressEqual,
  type LocalAccount,
} from 'viem'
import { coinAbi, coinBytecode } from './generated/coin.ts'
import { proxyAbi, proxyBytecode } from './generated/proxy.ts'
import { settlementAbi, settlementBytecode } from './generated/settlement.ts'
import { type Call, createCallSender, type SendCalls } from './send-calls.ts'
import { type DeploymentRoles, findDeploymentProblems, ROLE_IDS } from './verify-deployment.ts'

/** A token bucket of the Settlement contract, in units of 10⁻⁶ coin. */
export type BucketLimit = { capacityMicro: bigint; refillPerSecondMicro: bigint }

/** What to deploy, and who is to hold which power over it. */
export type DeploymentPlan = {
  rpcUrl: string
  /** The chain `rpcUrl` must be of. */
  chainId: number
  /** Pays for the deployment; ends with no power but what `roles` gives it. */
  deployer: LocalAccount
  roles: DeploymentRoles
  token: { name: string; symbol: string }
  limits: { mint: BucketLimit; debit: BucketLimit }
  /** How often receipts are asked for; default 200 ms. */
  pollingIntervalMs?: number
  /** How long each transaction may take to be mined; default 3 minutes. */
  receiptTimeoutMs?: number
}

/** Where the contracts are. `coin` and `settlement` are the proxies; `fromBlock` is the block of the first creation. */
export type Deployment = {
  coin: Address
  settlement: Address
  coinImplementation: Address
  settlementImplementation: Address
  fromBlock: bigint
}

/**
 * Deploys Coin and Settlement behind ERC-1967 proxies, each initialised in its proxy's constructor, makes Settlement the
 * coin's only settler, hands the admin role over, and checks from the chain's logs that exactly the given roles are held.
 * The deployer administers the coin in between: until this resolves, the contracts are not to be used.
 *
 * @throws Error when the chain is another one, a transaction fails or is late, or the roles did not end as wanted
 */
export async function deployContracts(plan: DeploymentPlan): Promise<Deployment> {
  const { rpcUrl, chainId, deployer, roles, receiptTimeoutMs = 180_000, pollingIntervalMs = 200 } = plan
  const chain = defineChain({
    id: chainId,
    name: `chain ${chainId}`,
    nativeCurrency: { name: 'Native', symbol: 'NATIVE', decimals: 18 },
    rpcUrls: { default: { http: [rpcUrl] } },
  })
  const client = createPublicClient({ chain, transport: http(rpcUrl), pollingInterval: pollingIntervalMs })
  const actualChainId = await client.getChainId()
  if (actualChainId !== chainId) throw new Error(`the RPC address is of chain ${actualChainId}, not ${chainId}`)

  const send = createCallSender({ client, chain, rpcUrl, account: deployer, receiptTimeoutMs })
  const deployment = await createContracts(send, plan)
  await send(
    coinCall(deployment.coin, 'grantRole', ROLE_IDS.settler, deployment.settlement),
    coinCall(deployment.coin, 'grantRole', ROLE_IDS.admin, roles.admin),
  )
  if (!isAddressEqual(deployer.address, roles.admin)) {
    await send(coinCall(deployment.coin, 'renounceRole', ROLE_IDS.admin, deployer.address))
  }

  const problems = await findDeploymentProblems(client, deployment, roles)
  if (problems.length > 0) throw new Error(`the deployment did not end as wanted. ${problems.join(' ')}`)
  return deployment
}

async function createContracts(send: SendCalls, plan: DeploymentPlan): Promise<Deployment> {
  const { deployer, roles, token, limits } = plan
  const [first, second] = await send({ data: coinBytecode }, { data: settlementBytecode })
  const coinImplementation = createdBy(first)
  const settlementImplementation = createdBy(second)

  const initializeCoin = encodeFunctionData({
    abi: coinAbi,
    functionName: 'initialize',
    args: [token.name, token.symbol, deployer.address, roles.pauser, roles.freezer, roles.linker],
  })
  const [third] = await send(proxyCreation(coinImplementation, initializeCoin))
  const coin = createdBy(third)

  const initializeSettlement = encodeFunctionData({
    abi: settlementAbi,
    functionName: 'initialize',
    args: [coin, roles.admin, roles.operators, bucketOf(limits.mint), bucketOf(limits.debit)],
  })
  const [fourth] = await send(proxyCreation(settlementImplementation, initializeSettlement))
  const settlement = createdBy(fourth)

  return { coin, settlement, coinImplementation, settlementImplementation, fromBlock: first?.blockNumber ?? 0n }
}

function createdBy(receipt: { contractAddress?: Address | null | undefined } | undefined): Address {
  if (!receipt?.contractAddress) throw new Error('the receipt of a creation names no contract')
  return getAddress(receipt.contractAddress)
}

function proxyCreation(implementation: Address, initialization: Hex): Call {
  return { data: encodeDeployData({ abi: proxyAbi, bytecode: proxyBytecode, args: [implementation, initialization] }) }
}

function bucketOf({ capacityMicro, refillPerSecondMicro }: BucketLimit): { capacity: bigint; refillPerSecond: bigint } {
  return { capacity: capacityMicro, refillPerSecond: refillPerSecondMicro }
}

function coinCall(coin: Address, functionName: 'grantRole' | 'renounceRole', role: Hex, holder: Address): Call {
  return { to: coin, data: encodeFunctionData({ abi: coinAbi, functionName, args: [role, holder] }) }
}
