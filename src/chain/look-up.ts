/**
 * Finds the addresses of nodes by their names. The system looks up two names at a time for the whole process, and one whose servers are silent for some
 * twenty seconds: asked for with each request, such a name would keep all others from theirs, those of banks and of the database, too.
 */
import dns, { type LookupAddress, type LookupOptions } from 'node:dns'
import type { LookupFunction } from 'node:net'

type Found = { error: NodeJS.ErrnoException | null; addresses: readonly LookupAddress[] }

/** What takes longer is one whose servers are silent, or far too busy. Looked at several times: a process that is busy itself looks once. */
const SLOW_MS = 1_000
const LOOKS = 4
/** So many does the system look up at a time; the others only wait, for whatever long. */
const AT_A_TIME = 2
/** What the system was asked for and has not answered, in that order. */
const asked = new Set<symbol>()

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
  const own = Symbol(hostname)
  asked.add(own)
  let looks = 0
  const look = () => {
    looks = [...asked].indexOf(own) < AT_A_TIME ? looks + 1 : 0
    if (looks >= LOOKS) slow.add(hostname)
  }
  const patience = setInterval(look, SLOW_MS / LOOKS).unref()
  dns.lookup(hostname, { ...options, all: true }, (error, addresses = []) => {
    clearInterval(patience)
    asked.delete(own)
    resolve({ error, addresses })
  })
  return promise
}
