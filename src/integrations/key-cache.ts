/**
 * Keeps recently used API keys for less than a second, so that a busy key costs two look-ups a second instead of one
 * for each request.
 */
import { createSharedCalls } from '../db/shared-calls.ts'
import { compileAllowlist } from '../values/ip-allowlist.ts'
import type { ApiKey } from './api-key.ts'

/** A key with its allowlist compiled. */
export type KnownKey = ApiKey & { allowsAddress: (clientAddress: string) => boolean }

export type KeyLookup = {
  /** Answers without a promise when the key was looked up within the time to live. */
  (keyId: string): KnownKey | undefined | Promise<KnownKey | undefined>
  /** Takes as long as to look up a key that nobody has ever had: for the refusal of one that is remembered. */
  asIfUnknown(keyId: string): Promise<void>
}

/** What the database said about a key id, and when it was asked. */
type Found = { askedAtMs: number; key: KnownKey | undefined }

/** Below 1,000, so that a revocation takes effect within a second. */
const TTL_MS = 500
/**
 * One query at a time for all ids together. However many made-up keys come, they cost one query at a time; a real key that
 * is presented for the first time waits for that query, and is never refused.
 */
const SHARED = { maxCalls: 1, maxTogether: 1_000, maxWaiting: 1_000_000 }

/**
 * Makes a look-up that remembers keys. An entry's age counts from before its query was sent, so every replica sees a
 * revocation at most `TTL_MS` after its commit. Keys in use are looked up separately from ids never seen before, so that
 * the latter neither delay a known key nor push it out.
 * @param deps.find reads keys from the database, in the order of the ids; undefined for an unknown one
 * @param deps.maxEntries the oldest entry makes room; default 10,000
 * @param deps.nowMs a clock that never goes back, in milliseconds
 */
export function createKeyCache(deps: {
  find: (keyIds: readonly string[]) => Promise<readonly (ApiKey | undefined)[]>
  maxEntries?: number
  nowMs?: () => number
}): KeyLookup {
  const { find, maxEntries = 10_000, nowMs = () => performance.now() } = deps
  const known = new Map<string, Found>()
  const loading = new Map<string, { since: number; key: Promise<KnownKey | undefined> }>()

  const ask = async (keyIds: readonly string[]): Promise<Found[]> => {
    const askedAtMs = nowMs()
    const keys = await find(keyIds)
    return keys.map((key) => ({
      askedAtMs,
      key: key && { ...key, allowsAddress: compileAllowlist(key.ipAllowlist) },
    }))
  }
  const askAboutUsed = createSharedCalls({ call: ask, ...SHARED })
  const askAboutNew = createSharedCalls({ call: ask, ...SHARED })

  const load = async (keyId: string): Promise<KnownKey | undefined> => {
    const found = await (known.has(keyId) ? askAboutUsed : askAboutNew)(keyId)
    known.delete(keyId)
    if (found.key === undefined) return undefined
    if (known.size >= maxEntries) {
      const oldest = known.keys().next()
      if (!oldest.done) known.delete(oldest.value)
    }
    known.set(keyId, found)
    return found.key
  }

  const lookup = (keyId: string) => {
    const entry = known.get(keyId)
    const now = nowMs()
    if (entry !== undefined && now - entry.askedAtMs < TTL_MS) return entry.key
    const underWay = loading.get(keyId)
    if (underWay !== undefined && now - underWay.since < TTL_MS) return underWay.key
    const started = { since: now, key: load(keyId) }
    loading.set(keyId, started)
    const forget = () => void (loading.get(keyId) === started && loading.delete(keyId))
    started.key.then(forget, forget)
    return started.key
  }
  return Object.assign(lookup, {
    async asIfUnknown(keyId: string) {
      await askAboutNew(keyId)
    },
  })
}
