/** Deployments, and transactions of any sender, for tests. */
import { type Address, createWalletClient, encodeFunctionData, type Hex, http, keccak256, toHex } from 'viem'
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts'
import type { Anvil } from '../../contracts/tools/anvil.ts'
import type { BucketLimit, DeploymentPlan } from '../../src/chain/deployment/plan.ts'
import { coinAbi } from '../../src/chain/generated/coin.ts'
import { settlementAbi } from '../../src/chain/generated/settlement.ts'
import { connectNode } from '../../src/chain/node.ts'
import { readView } from '../../src/chain/reads.ts'
import { waitFor } from './wait-for.ts'

/** Anvil's. */
const CHAIN_ID = 31337

export const deployer = mnemonicToAccount('test test test test test test test test test test test junk')

export function addressOf(name: string): Address {
  return privateKeyToAccount(keccak256(toHex(name))).address
}

function bucket(capacityMicro: bigint, refillPerSecondMicro: bigint): BucketLimit {
  return { capacityMicro, refillPerSecondMicro }
}

/** Two holders of every role that can have two. */
export const roles = {
  signers: [addressOf('signer'), addressOf('second signer')],
  limiters: [addressOf('limiter')],
  linkers: [addressOf('linker')],
  freezers: [addressOf('freezer')],
  pausers: [addressOf('pauser'), addressOf('second pauser')],
  unpausers: [addressOf('unpauser')],
}

export const newTimelock = {
  delaySeconds: 172_800,
  proposers: [addressOf('proposer')],
  executors: [addressOf('executor')],
}

export const token = { name: 'Ringgit Coin', symbol: 'MYRC' }

export function planFor(rpcUrl: string, change: Partial<DeploymentPlan> = {}): DeploymentPlan {
  return {
    rpcUrl,
    chainId: CHAIN_ID,
    deployer,
    roles: { admin: newTimelock, ...roles },
    token,
    limits: {
      mint: { limit: bucket(5_000_000n, 10n), ceiling: bucket(9_000_000n, 90n) },
      burn: { limit: bucket(4_000_000n, 20n), ceiling: bucket(8_000_000n, 80n) },
      transfer: { limit: bucket(3_000_000n, 30n), ceiling: bucket(7_000_000n, 70n) },
    },
    maximum: bucket(10_000_000n, 100n),
    pollingIntervalMs: 20,
    ...change,
  }
}

type Call = { functionName: string; args?: readonly unknown[] }
const abi = [...coinAbi, ...settlementAbi]

/** A view of either contract. */
export function read(anvil: Anvil, address: Address, { functionName, args = [] }: Call): Promise<unknown> {
  return readView(connectNode(anvil.rpcUrl), { address, abi, functionName, args })
}

/** Sends a transaction as any sender, with gas money. @returns true when it succeeded */
export async function sendAs(anvil: Anvil, from: Address, to: Address, data: Hex): Promise<boolean> {
  const node = connectNode(anvil.rpcUrl)
  await node.request('anvil_setBalance', [from, '0xde0b6b3a7640000'])
  await node.request('anvil_impersonateAccount', [from])
  const sender = createWalletClient({ account: from, transport: http(anvil.rpcUrl) })
  const hash = await sender.sendTransaction({ chain: null, to, data, gas: 3_000_000n })
  const receipt = await waitFor('the receipt', () => node.request('eth_getTransactionReceipt', [hash]))
  return (receipt as { status: string }).status === '0x1'
}

/** A call of either contract. */
export function callOf({ functionName, args = [] }: Call): Hex {
  return encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0])
}
