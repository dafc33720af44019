/**
 * Deploys both contracts to the chain of RPC_URL and prints their addresses as one JSON object.
 * Settings come from environment variables alone (contracts/README.md), so that no key is seen in a process list.
 *
 *   node contracts/tools/deploy.ts
 */
import { join } from 'node:path'
import { BaseError, createPublicClient, http } from 'viem'
import { deployContracts } from '../../src/chain/deploy.ts'
import { readDeploySettings } from './deploy-settings.ts'
import { finishRecord, startRecord } from './deployment-record.ts'

/** The message of an error without what viem adds to it: the URL of the node, which may hold a secret, and the request. */
function explain(error: unknown): string {
  if (error instanceof BaseError) {
    const cause = error.walk()
    return cause instanceof BaseError ? cause.shortMessage : error.shortMessage
  }
  return error instanceof Error ? error.message : String(error)
}

async function run(): Promise<void> {
  const { plan, recordFolder } = readDeploySettings(process.env)
  const chainId = await createPublicClient({ transport: http(plan.rpcUrl) }).getChainId()
  if (chainId !== plan.chainId) throw new Error(`RPC_URL is of chain ${chainId}, CHAIN_ID is ${plan.chainId}`)

  const record = join(recordFolder, `${chainId}.json`)
  startRecord(record)
  const deployment = await deployContracts(plan)
  finishRecord(record, chainId, deployment)
  console.log(JSON.stringify({ chainId, ...deployment, fromBlock: deployment.fromBlock.toString() }, null, 2))
}

try {
  await run()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
