/** What changed in the powers over the contracts between two looks, and whether anybody asked for it (pure). */
import type { Address } from 'viem'
import { type BucketLimit, isAbove } from '../../chain/deployment/plan.ts'
import { wantedHolders } from '../../chain/deployment/roles.ts'
import type { Powers } from '../../chain/powers.ts'
import type { ChainConfig } from '../../config.ts'
import { formatAmount } from '../../money.ts'

/** `adds`: somebody can do more than before. What is only taken away stops less than a pause would. */
export type PowerChange = { kind: 'role' | 'limit' | 'code'; details: string; adds: boolean }

type Configured = Pick<ChainConfig, 'deployment' | 'settlement'>

/** One entry for each change that the chains file does not ask for. It asks for the configured holders of roles, and for ceilings up to the configured ones. */
export function changesOf(before: Powers, now: Powers, config: Configured): PowerChange[] {
  return [...roleChanges(before, now, config), ...bucketChanges(before, now, config), ...codeChanges(before, now)]
}

function roleChanges(before: Powers, now: Powers, { deployment, settlement }: Configured): PowerChange[] {
  const wanted = deployment && wantedHolders(deployment.roles, settlement)
  return now.roles.flatMap(({ contract, role, holders }, index) => {
    const had = new Set(before.roles[index]?.holders)
    const has = new Set(holders)
    const asked = new Set<Address>(wanted?.[contract][role])
    const given = [...has.difference(had)].filter((holder) => !asked.has(holder))
    const name = `the ${role} role of the ${contract}`
    return [
      ...given.map((who) => ({ kind: 'role' as const, details: `${who} was given ${name}`, adds: true })),
      ...[...had.difference(has)].map((who) => ({
        kind: 'role' as const,
        details: `${name} was taken from ${who}`,
        adds: false,
      })),
    ]
  })
}

function bucketChanges(before: Powers, now: Powers, { deployment }: Configured): PowerChange[] {
  return now.buckets.flatMap(({ name, kind, bucket }, index) => {
    const was = before.buckets[index]?.bucket
    if (was === undefined || isSame(was, bucket)) return []
    const adds = isAbove(bucket, was)
    const asked = name === 'ceiling' ? deployment?.ceilings[kind] : undefined
    if (adds && asked !== undefined && !isAbove(bucket, asked)) return []
    const details = `the ${name} of ${kind}s went from ${show(was)} to ${show(bucket)}`
    return [{ kind: 'limit' as const, details, adds }]
  })
}

function codeChanges(before: Powers, now: Powers): PowerChange[] {
  return now.code.flatMap(({ contract, implementation }, index) => {
    const was = before.code[index]?.implementation
    if (was === undefined || was === implementation) return []
    return [{ kind: 'code' as const, details: `the ${contract} runs ${implementation} instead of ${was}`, adds: true }]
  })
}

function isSame(one: BucketLimit, other: BucketLimit): boolean {
  return one.capacityMicro === other.capacityMicro && one.refillPerSecondMicro === other.refillPerSecondMicro
}

function show({ capacityMicro, refillPerSecondMicro }: BucketLimit): string {
  return `${formatAmount(capacityMicro)} (and ${formatAmount(refillPerSecondMicro)} a second)`
}
