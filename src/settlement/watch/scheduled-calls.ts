/** What a call of the timelock would do, in words, and whether the chains file asks for it (pure). */

import { type Abi, type Hex, isAddressEqual } from 'viem'
import { decodeCall } from '../../chain/call-data.ts'
import { type BucketLimit, isAbove } from '../../chain/deployment/plan.ts'
import { ROLE_IDS, type RoleName, wantedHolders } from '../../chain/deployment/roles.ts'
import { coinAbi } from '../../chain/generated/coin.ts'
import { settlementAbi } from '../../chain/generated/settlement.ts'
import { timelockAbi } from '../../chain/generated/timelock.ts'
import { BUCKET_NAMES } from '../../chain/instructions.ts'
import type { ScheduledCall } from '../../chain/timelock.ts'
import type { ChainConfig } from '../../config.ts'

type Configured = Pick<ChainConfig, 'coin' | 'settlement' | 'deployment'>

/** `contract`: the name of the one that is called; null for any other. `call`: as it would be written. `value`: wei. */
export type DescribedCall = {
  contract: 'coin' | 'settlement' | 'timelock' | null
  target: string
  value: string
  call: string
}

const LONGEST_ARGUMENT = 80
const LONGEST_CALL = 400
const SELECTOR_END = 10

/** The call as operators read it. */
export function describeCall({ target, value, data }: ScheduledCall, config: Configured): DescribedCall {
  const contract = contractAt(target, config)
  const decoded = contract && decode(contract, data)
  const call = decoded
    ? `${decoded.functionName}(${decoded.args.map(shown).join(', ')})`
    : `${data.slice(0, SELECTOR_END)} with ${Math.max(0, (data.length - SELECTOR_END) / 2)} bytes`
  return { contract, target, value: String(value), call: cut(call, LONGEST_CALL) }
}

/** One sentence part for a call. */
export function sentenceOf({ contract, target, value, call }: DescribedCall): string {
  const wei = value === '0' ? '' : `, with ${value} wei`
  return `${contract === null ? target : `the ${contract}`}: ${call}${wei}`
}

/** Whether the chains file asks for it: a role for its configured holder, a ceiling up to the configured one. */
export function isAskedFor({ target, value, data }: ScheduledCall, config: Configured): boolean {
  const contract = contractAt(target, config)
  const { deployment, settlement } = config
  if (contract === null || contract === 'timelock' || deployment === undefined || value !== 0n) return false
  const decoded = decode(contract, data)
  if (decoded?.functionName === 'grantRole') {
    const [id, holder] = decoded.args as [Hex, Hex]
    const role = roleOf(id)
    const wanted = role === undefined ? undefined : wantedHolders(deployment.roles, settlement)[contract][role]
    return wanted?.some((one) => isAddressEqual(one, holder)) === true
  }
  if (decoded?.functionName !== 'setCeiling') return false
  const [number, { capacity, refillPerSecond }] = decoded.args as [
    number,
    { capacity: bigint; refillPerSecond: bigint },
  ]
  const kind = BUCKET_NAMES[number]
  const ceiling: BucketLimit = { capacityMicro: capacity, refillPerSecondMicro: refillPerSecond }
  return kind !== undefined && !isAbove(ceiling, deployment.ceilings[kind])
}

const ABIS: Readonly<Record<'coin' | 'settlement' | 'timelock', Abi>> = {
  coin: coinAbi,
  settlement: settlementAbi,
  timelock: timelockAbi,
}

function contractAt(target: Hex, { coin, settlement, deployment }: Configured): DescribedCall['contract'] {
  if (isAddressEqual(target, coin.address)) return 'coin'
  if (isAddressEqual(target, settlement)) return 'settlement'
  return deployment !== undefined && isAddressEqual(target, deployment.roles.admin) ? 'timelock' : null
}

function decode(
  contract: keyof typeof ABIS,
  data: Hex,
): { functionName: string; args: readonly unknown[] } | undefined {
  try {
    const { functionName, args = [] } = decodeCall(ABIS[contract], data)
    return { functionName, args }
  } catch {
    return undefined
  }
}

function roleOf(id: unknown): RoleName | undefined {
  return (Object.keys(ROLE_IDS) as RoleName[]).find((name) => name !== 'admin' && ROLE_IDS[name] === id)
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(', ')}]`
  if (typeof value === 'object' && value !== null)
    return `{${Object.entries(value)
      .map(([name, part]) => `${name}: ${shown(part)}`)
      .join(', ')}}`
  return cut(roleOf(value) ?? String(value), LONGEST_ARGUMENT)
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)}…` : text
}
