/** Does something to the sandbox's own chain. */
import type { WriteCall } from '../../http/route.ts'
import type { Finish } from './answered-once.ts'
import {
  CHAIN_SCENARIOS,
  type ChainControl,
  type ChainScenario,
  type ChainScenarioName,
  DEFAULT_CHAIN_SECONDS,
} from './chain-scenarios.ts'
import { countOf, requireScopes } from './scenario-input.ts'

/** Whoever may have something settled. */
export const CHAIN_SCOPES = ['mint:execute'] as const

/**
 * @returns what is to write with the answer; a transaction that is run again does the same again
 * @throws ApiError SCOPE_DENIED, BAD_REQUEST
 */
export async function disturbChain(control: ChainControl, call: WriteCall, name: ChainScenarioName): Promise<Finish> {
  requireScopes(call.key, CHAIN_SCOPES)
  const scenario: ChainScenario = CHAIN_SCENARIOS[name]
  const { mostSeconds } = scenario
  // Of what takes no time it means nothing.
  const seconds = mostSeconds === undefined ? 0 : (countOf(call.body, 'seconds', mostSeconds) ?? DEFAULT_CHAIN_SECONDS)
  return async () => {
    scenario.does(control, seconds * 1_000)
    return {
      answer: { scenario: name, seconds },
      entry: { action: 'sandbox.chain', target: null, details: { scenario: name, seconds } },
    }
  }
}
