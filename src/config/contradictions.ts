/** Settings that are each right and cannot both be meant: what follows would otherwise be found when it is needed. */
import type { Config } from './types.ts'

const EVERYWHERE = ['0.0.0.0', '::']

/** One sentence per pair. */
export function contradictions(config: Config): string[] {
  const { mintFloorMicro, mintCeilingMicro, mintDayCapMicro } = config.policy
  const problems: string[] = []
  if (isSamePort(config))
    problems.push('PORT and OPERATOR_PORT are the same: one process cannot listen twice on one port of an address.')
  // A limit of nothing is how mints are stopped.
  if (mintCeilingMicro !== 0n && mintFloorMicro > mintCeilingMicro)
    problems.push('MINT_FLOOR is above MINT_CEILING: no mint would be accepted.')
  if (mintDayCapMicro !== null && mintDayCapMicro !== 0n && mintFloorMicro > mintDayCapMicro)
    problems.push('MINT_FLOOR is above MINT_DAY_CAP: no mint would be accepted.')
  return problems
}

function isSamePort({ host, port, operatorHost, operatorPort, roles }: Config): boolean {
  const hosts = [host, operatorHost]
  const meet = host === operatorHost || hosts.some((each) => EVERYWHERE.includes(each))
  return port !== 0 && port === operatorPort && meet && roles.has('api')
}
