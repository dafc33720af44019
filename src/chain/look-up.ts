/**
 * Finds the addresses of nodes by their names. The system looks up two names at a time for the whole process, and one whose servers are silent for some
 * twenty seconds: asked for with each request, such a name would keep all others from theirs, those of banks and of the database, too.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Found = { error: NodeJS.ErrnoException | null; addresses: readonly LookupAddress[] }

/** What takes longer is one whose servers are silent, or far too busy. */
const SLOW_MS = 1_000

/** What is being looked up, or waits for its turn, by name and what is asked of it. */
const underWay = new Map<string, Promise<Found>>()
/** The names that took long when they were last looked up. */
const slow = new Set<string>()
let lastSlow: Promise<unknown> = Promise.resolve()

/** As Node's own, but each name is looked up once at a time, whoever waits for it; and of all that took long before, one at a time. */
export const lookUp: LookupFunction = (hostname, options, callback) => {
  const key = JSON.stringify([hostname, options.family, options.hints])
  const finding = underWay.get(key) ?? findInTurn(hostname, options).finally(() => underWay.delete(key))
  underWay.set(key, finding)
  void finding.then(({ error, addresses }) => {
    const [first] = addresses
    if (options.all === true) callback(error, [...addresses])
    else callback(error, first?.address ?? '', first?.family)
  })
}

function findInTurn(hostname: string, options: LookupOptions): Promise<Found> {
  if (!slow.has(hostname)) return find(hostname, options)
  const found = lastSlow.then(() => find(hostname, options))
  lastSlow = found
  return found
}

/** Never rejects. */
function find(hostname: string, options: LookupOptions): Promise<Found> {
  const { promise, resolve } = Promise.withResolvers<Found>()
  slow.delete(hostname)
  const patience = setTimeout(() => slow.add(hostname), SLOW_MS).unref()
  dns.lookup(hostname, { ...options, all: true }, (error, addresses = []) => {
    clearTimeout(patience)
    resolve({ error, addresses })
  })
  return promise
}
