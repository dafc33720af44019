/** How the contracts begin: the calls with which their proxies are created. */
import { type Address, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { coinAbi } from '../generated/coin.ts'
import { settlementAbi } from '../generated/settlement.ts'
import type { BucketLimit, DeploymentPlan } from './plan.ts'

/** The call that sets up the coin. */
export function initializeCoin(
  { token, roles, seizureAddress, unsafe }: DeploymentPlan,
  admin: Address,
  settler: Address,
): Hex {
  const { linkers, freezers, pausers, unpausers } = roles
  const beginning = {
    ...token,
    admin,
    settler,
    linkers,
    freezers,
    pausers,
    unpausers,
    seizureAddress: seizureAddress ?? zeroAddress,
    consentWaived: unsafe?.linkWithoutConsent === true,
  }
  return encodeFunctionData({ abi: coinAbi, functionName: 'initialize', args: [beginning] })
}

/** The call that sets up the Settlement contract. */
export function initializeSettlement({ roles, limits }: DeploymentPlan, admin: Address, coin: Address): Hex {
  const { signers, limiters, pausers, unpausers } = roles
  const all = (which: 'limit' | 'ceiling') => {
    const [mint, burn, transfer] = [limits.mint, limits.burn, limits.transfer].map((one) => bucketOf(one[which]))
    return [mint, burn, transfer] as [Bucket, Bucket, Bucket]
  }
  const beginning = {
    coin,
    admin,
    signers,
    limiters,
    pausers,
    unpausers,
    limits: all('limit'),
    ceilings: all('ceiling'),
  }
  return encodeFunctionData({ abi: settlementAbi, functionName: 'initialize', args: [beginning] })
}

type Bucket = { capacity: bigint; refillPerSecond: bigint }

function bucketOf({ capacityMicro, refillPerSecondMicro }: BucketLimit): Bucket {
  return { capacity: capacityMicro, refillPerSecond: refillPerSecondMicro }
}
