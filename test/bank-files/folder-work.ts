/**
 * The work that the kill tests interrupt, and the file operations that end the process; also the program that those
 * tests start.
 */
import { appendFileSync, closeSync, existsSync, fsyncSync, openSync, readFileSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import path from 'node:path'
import { type Taken, takeIncoming } from '../../src/bank-files/folder/incoming.ts'
import { type FileOps, foldersOf } from '../../src/bank-files/folder/layout.ts'
import { handOver } from '../../src/bank-files/folder/outgoing.ts'

export const MESSAGE_ID = 'COIN-00000001'
export const PAYMENT_FILE = Buffer.from('<payment-file>\n'.repeat(5_000))
export const BAD = 'bad'

/** Hands over the payment file, as a payer does after every start. */
export function sendFile(ops: FileOps, root: string) {
  return handOver(ops, foldersOf(root), { messageId: MESSAGE_ID, bytes: PAYMENT_FILE }, async () => {})
}

/**
 * Takes in what is there. Each applied file is a line of a journal, written by one append, which the kernel does whole.
 */
export function takeFiles(ops: FileOps, root: string) {
  const deps = {
    fs: ops,
    folders: foldersOf(root),
    now: () => new Date(),
    bounds: { maxBytes: 1_000, maxFiles: 10, minAgeMs: 0 },
  }
  return takeIncoming(deps, async ({ bytes, contentHash }): Promise<Taken> => {
    if (Buffer.from(bytes).toString().startsWith(BAD)) {
      return { result: 'refused', refusal: { code: 'malformed', sentence: 'It is bad.' } }
    }
    if (journalOf(root).includes(contentHash)) return { result: 'repeated' }
    const journal = openSync(path.join(root, 'journal'), 'a')
    appendFileSync(journal, `${contentHash}\n`)
    fsyncSync(journal)
    closeSync(journal)
    return { result: 'applied' }
  })
}

/** The content hashes that were applied, in order. */
export function journalOf(root: string): string[] {
  const journal = path.join(root, 'journal')
  return existsSync(journal) ? readFileSync(journal, 'utf8').trim().split('\n') : []
}

/**
 * File operations that kill the process before the one with the given number, counted from 1, or in the middle of it
 * when it is a write.
 */
function killingOps(killAt: number): FileOps {
  let count = 0
  const isLast = () => {
    count += 1
    return count === killAt
  }
  const die = () => process.kill(process.pid, 'SIGKILL')
  const counted = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(object, name) {
        const value: unknown = Reflect.get(object, name)
        if (typeof value !== 'function') return value
        return async (...args: unknown[]) => {
          if (isLast()) {
            if (name === 'writeFile') await value.apply(object, [(args[0] as Uint8Array).subarray(0, 100)])
            die()
          }
          const result: unknown = await value.apply(object, args)
          return name === 'open' ? counted(result as object) : result
        }
      },
    })
  return counted({ ...fs })
}

const [root, work, killAt] = process.argv.slice(2)
if (import.meta.main && root !== undefined) {
  const ops = killingOps(Number(killAt))
  await (work === 'send' ? sendFile(ops, root) : takeFiles(ops, root))
}
