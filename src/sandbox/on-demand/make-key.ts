/** Makes a key of the calling integration for one outcome. */
import type { WriteCall } from '../../http/route.ts'
import { insertKey, revokeKey } from '../../integrations/api-keys.sql.ts'
import { makeSecret } from '../../secrets/token-secret.ts'
import type { Finish } from './answered-once.ts'
import type { OnDemandDeps } from './deps.ts'
import { addFaults } from './faults.sql.ts'
import { keyLike, wholeKey } from './key-like.ts'
import { type KeyScenarioName, keyScenario } from './key-scenarios.ts'

export const MOST_SECONDS = 3_600
export const MOST_TIMES = 100

export type KeyAsked = { scenario: KeyScenarioName; seconds: number | undefined; times: number | undefined }

/** @returns what is to write with the answer, which alone shows the key */
export async function makeKey(
  { nameOf }: Pick<OnDemandDeps, 'nameOf'>,
  call: WriteCall,
  { scenario: name, seconds: asked, times = 1 }: KeyAsked,
): Promise<Finish> {
  const scenario = keyScenario(name)
  const seconds = asked ?? scenario.seconds ?? MOST_SECONDS
  const { secret, secretSha256 } = makeSecret()
  const keyId = nameOf(call.key.integrationId, call.idempotencyKey, call.fingerprint, 'key').slice(0, 16)
  const expiresAt = new Date(Date.now() + seconds * 1_000)
  const key = keyLike(call.key, { ...scenario.settings, keyId, secretSha256, expiresAt })
  return async (tx) => {
    await insertKey(tx, key)
    if (scenario.isRevoked === true) await revokeKey(tx, keyId)
    const { fault } = scenario
    if (fault !== undefined) await addFaults(tx, { keyId, ...fault, times, expiresAt })
    return {
      answer: {
        scenario: name,
        keyId,
        apiKey: wholeKey(keyId, secret),
        scopes: [...key.scopes],
        expiresAt: (key.expiresAt ?? expiresAt).toISOString(),
        tryIt: scenario.tries(seconds, times),
      },
      entry: {
        action: 'sandbox.key',
        target: keyId,
        details: { scenario: name, expiresAt: expiresAt.toISOString(), times },
      },
    }
  }
}
