import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Deployment } from '../../src/chain/deployment/deploy.ts'
import type { DeploymentPlan } from '../../src/chain/deployment/plan.ts'
import type { BucketName } from '../../src/chain/instructions.ts'
import { formatAmount } from '../../src/money.ts'

/**
 * Takes the record of a chain before anything is sent, so that a second deployment, or one after a crash, is refused.
 *
 * @param path the record, one file per chain
 * @throws Error when it exists: the chain has a deployment, or one that was started and has to be investigated
 */
export function startRecord(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  try {
    writeFileSync(path, `${JSON.stringify({ status: 'started' }, null, 2)}\n`, { flag: 'wx' })
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
    throw new Error(`${path} exists: ${describe(path)}`)
  }
}

/** Writes what was deployed into the record taken by `startRecord`. */
export function finishRecord(path: string, description: object): void {
  writeFileSync(path, `${JSON.stringify({ status: 'finished', ...description }, null, 2)}\n`)
}

/**
 * What others need to know about a deployment; `deployment` is the entry for the chains file, checked at each start.
 */
export function describeDeployment(plan: DeploymentPlan, deployment: Deployment): object {
  const { admin, fromBlock, ...addresses } = deployment
  const { signers: _signers, linkers: _linkers, admin: _admin, ...roles } = plan.roles
  const ceiling = (kind: BucketName) => {
    const { capacityMicro, refillPerSecondMicro } = plan.limits[kind].ceiling
    return { capacity: formatAmount(capacityMicro), refillPerSecond: formatAmount(refillPerSecondMicro) }
  }
  const ceilings = { mint: ceiling('mint'), burn: ceiling('burn'), transfer: ceiling('transfer') }
  return {
    chainId: plan.chainId,
    ...addresses,
    fromBlock: fromBlock.toString(),
    deployment: { admin, ...(plan.adminCodeHash && { adminCodeHash: plan.adminCodeHash }), ...roles, ceilings },
  }
}

function describe(path: string): string {
  try {
    const { status, coin } = JSON.parse(readFileSync(path, 'utf8'))
    if (status === 'finished')
      return `the coin of this chain is ${coin}. Remove the record only if this chain is to get another coin beside that one.`
  } catch {
    return 'it cannot be read. It says whether this chain has a coin: find out before you remove it.'
  }
  return "a deployment was started and did not finish. Look at the deployer's transactions, abandon what was created, remove the record, and deploy again."
}
