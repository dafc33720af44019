/** A code that signs one browser in to the console of a sandbox, once and soon. It is kept in memory, as a hash. */
import { makeSecret, secretMatches } from '../secrets/token-secret.ts'

export type OneTimeLogin = {
  /** A new code; the one before it ends. */
  issue(): string
  /** Whether this is the code and it was not used before; it is used up either way once it was right. */
  redeem(code: string): boolean
}

const LIFETIME_MS = 15 * 60_000

/** @param nowMs a clock that never goes back */
export function createOneTimeLogin(nowMs: () => number = () => performance.now()): OneTimeLogin {
  let waiting: { secretSha256: string; endsMs: number } | undefined
  return {
    issue() {
      const { secret, secretSha256 } = makeSecret()
      waiting = { secretSha256, endsMs: nowMs() + LIFETIME_MS }
      return secret
    },
    redeem(code) {
      const known = waiting !== undefined && nowMs() < waiting.endsMs ? waiting.secretSha256 : undefined
      if (!secretMatches(code, known)) return false
      waiting = undefined
      return true
    },
  }
}
