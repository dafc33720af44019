/** Spares a busy connection the reading of its key at every request, and so the hashing of its secret. */
import type { IncomingMessage } from 'node:http'
import { type Presented, readPresentedKey } from './authenticate.ts'

/** A secret stays in memory no longer than this after a request has brought it. */
const KEPT_MS = 1_000

/** The key that a request presents; undefined when there is nothing in its Authorization header that could be one. */
export type KeyReader = (request: Pick<IncomingMessage, 'headers' | 'socket'>) => Presented | undefined

/** Makes a reader that remembers for a second at most what a connection presents, and gives the same again while its header is the same. */
export function createKeyReader(): KeyReader {
  const read = new Map<object, { header: string; presented: Presented }>()
  return ({ socket, headers: { authorization: header } }) => {
    const last = read.get(socket)
    if (last !== undefined && last.header === header) return last.presented
    const presented = readPresentedKey(header)
    if (header === undefined || presented === undefined) return undefined
    if (read.size === 0) setTimeout(() => read.clear(), KEPT_MS).unref()
    read.set(socket, { header, presented })
    return presented
  }
}
