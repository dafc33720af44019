/** Keeps recently used API keys for less than a second, so that a busy key costs two lookups a second and not one a request. */
import type { ApiKey } from './api-key.ts'
import { compileAllowlist } from './ip-allowlist.ts'

/** A key with its allowlist compiled. */
export type KnownKey = ApiKey & { allowsAddress: (clientAddress: string) => boolean }

/** Answers at once when the key was looked up within the time to live. */
export type KeyLookup = (keyId: string) => KnownKey | undefined | Promise<KnownKey | undefined>

type Entry = { loadedAtMs: number; key: KnownKey | undefined; loading: Promise<KnownKey | undefined> | undefined }

/**
 * A lookup that remembers keys. An entry's age counts from before its query was sent: a revocation committed after that is
 * seen at most `ttlMs` later, on every replica.
 * @param deps.find reads a key from the database
 * @param deps.ttlMs below 1,000, so that a revocation takes effect within a second; default 500
 * @param deps.maxEntries the oldest entry makes room; default 10,000
 * @param deps.nowMs a clock that never goes back, in milliseconds
 */
export function createKeyCache(deps: {
  find: (keyId: string) => Promise<ApiKey | undefined>
  ttlMs?: number
  maxEntries?: number
  nowMs?: () => number
}): KeyLookup {
  const { find, ttlMs = 500, maxEntries = 10_000, nowMs = () => performance.now() } = deps
  const entries = new Map<string, Entry>()

  const load = async (keyId: string, entry: Entry): Promise<KnownKey | undefined> => {
    try {
      const key = await find(keyId)
      entry.key = key && { ...key, allowsAddress: compileAllowlist(key.ipAllowlist) }
      // Unknown ids are not kept: whoever guesses them must not push out the keys in use.
      if (key === undefined && entries.get(keyId) === entry) entries.delete(keyId)
      return entry.key
    } catch (error) {
      if (entries.get(keyId) === entry) entries.delete(keyId)
      throw error
    } finally {
      entry.loading = undefined
    }
  }

  return (keyId) => {
    const known = entries.get(keyId)
    if (known !== undefined && nowMs() - known.loadedAtMs < ttlMs) return known.loading ?? known.key
    entries.delete(keyId)
    if (entries.size >= maxEntries) {
      const oldest = entries.keys().next()
      if (!oldest.done) entries.delete(oldest.value)
    }
    const entry: Entry = { loadedAtMs: nowMs(), key: undefined, loading: undefined }
    entries.set(keyId, entry)
    entry.loading = load(keyId, entry)
    return entry.loading
  }
}
