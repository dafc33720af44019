/**
 * Deploys both contracts to the chain of RPC_URL and prints their addresses as one JSON object.
 * Settings come from environment variables alone (contracts/README.md), so that no key is seen in a process list.
 *
 *   node contracts/tools/deploy.ts
 */
import { join } from 'node:path'
import { BaseError } from 'viem'
import { deployContracts, requireDeployable } from '../../src/chain/deployment/deploy.ts'
import { labelOfUrl } from '../../src/chain/node.ts'
import { whyNotDone } from '../../src/start/no-arguments.ts'
import { readDeploySettings } from './deploy-settings.ts'
import { describeDeployment, finishRecord, startRecord } from './deployment-record.ts'

/**
 * The message of an error with the node's answer, but without what viem adds: the request, and the URL of the node,
 * which may contain a secret.
 */
function explain(error: unknown): string {
  const text = error instanceof BaseError ? textOf(error) : error instanceof Error ? error.message : String(error)
  const url = process.env.RPC_URL?.trim()
  return url ? text.replaceAll(url, labelOfUrl(url)) : text
}

function textOf(error: BaseError): string {
  const cause = error.walk()
  const { shortMessage, details } = cause instanceof BaseError ? cause : error
  return details && !shortMessage.includes(details) ? `${shortMessage} The node said: ${details}` : shortMessage
}

async function run(): Promise<void> {
  const refusal = whyNotDone('This deploys contracts; its settings are environment variables (contracts/README.md).')
  if (refusal !== undefined) throw new Error(refusal)
  const { plan, recordFolder } = readDeploySettings(process.env)
  await requireDeployable(plan)
  const record = join(recordFolder, `${plan.chainId}.json`)
  startRecord(record)
  const description = describeDeployment(plan, await deployContracts(plan))
  finishRecord(record, description)
  console.log(JSON.stringify(description, null, 2))
}

try {
  await run()
} catch (error) {
  console.error(explain(error))
  process.exitCode = 1
}
