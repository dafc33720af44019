/** Whether whoever deploys can pay for all of it. */
import { type Address, formatEther } from 'viem'
import type { RpcNode } from '../node.ts'
import { readGasBalance, readQuantity } from '../reads.ts'

/** What the five transactions use, and a tenth more. */
const DEPLOYMENT_GAS = 12_000_000n

/**
 * A deployment that stops halfway for want of gas money leaves contracts that nobody uses, and a record that somebody has to look into.
 * @throws Error when the deployer has less than everything costs at the present price
 */
export async function requireGasMoney(node: RpcNode, deployer: Address): Promise<void> {
  const [balance, price] = await Promise.all([readGasBalance(node, deployer), readQuantity(node, 'eth_gasPrice')])
  const needed = DEPLOYMENT_GAS * price
  if (balance >= needed) return
  throw new Error(
    `The deployer ${deployer} has ${formatEther(balance)} native coin, and deploying takes some ${formatEther(needed)} at the present price of gas: send it some. Nothing was sent.`,
  )
}
