/**
 * The emergency stop of a chain. It needs neither the database nor a quorum: any node that answers is used, all of them
 * at once. What waits in the pools from the keys that could undo it is replaced first, and it is reported only when
 * most of the nodes that answer show it, at full depth, with nothing waiting any more that could undo it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Address, Hex } from 'viem'
import { lowerMedian } from './answers.ts'
import {
  KeyActionLateError,
  KeyActionRefusedError,
  KeyActionUnpaidError,
  KeyUnsignedError,
} from './key-action-errors.ts'
import { type RpcNode, RpcUnreachableError } from './node.ts'
import type { Signer } from './signer.ts'
import { replace, type Sent, type Stop, type StopDeps, send } from './stop-send.ts'
import { type Account, readStopView, type StopView } from './stop-view.ts'

export type { Stop, StopDeps } from './stop-send.ts'

const DEADLINE_MS = 180_000
const POLL_MS = 500
/** A signer that has signed nothing for so long is told of, rather than asked for the rest of the time. */
const UNSIGNED_MS = 5_000
/** Nobody waits longer for a node while a chain is to be stopped and another one answers. */
const PATIENCE_MS = 2_000
/** While none has, each turn waits for twice as long as the one before: all of them may be slow, as while somebody fills blocks. */
const MOST_PATIENCE_MS = 8_000
/** A node so many blocks behind most others says nothing about what waits. */
const STALE_BLOCKS = 2n

/**
 * Stops what the action stops, unless it is stopped already.
 * @returns the hash of the last transaction sent for it, or undefined when none was needed
 * @throws KeyActionRefusedError when the key lacks its role; KeyActionUnpaidError when it cannot pay; KeyUnsignedError when its signer does not
 *   sign, once it was asked a few times; KeyActionLateError
 */
export async function performStop(given: StopDeps, stop: Stop): Promise<Hex | undefined> {
  const { config, logger, deadlineMs = DEADLINE_MS, unsignedMs = UNSIGNED_MS } = given
  const patience = { ms: PATIENCE_MS }
  const nodes = given.nodes.map((node) => impatient(node, patience))
  const accounts = [stop.signer, ...stop.rivals].map(({ address }) => address)
  const request = { action: stop.action, accounts, confirmations: config.confirmations }
  // Not by the time of day, which somebody may set back.
  const deadline = performance.now() + deadlineMs
  const deps = { ...given, nodes, deadline }
  const replaced = new Map<string, Sent>()
  const sent = new Map<bigint, Sent>()
  let newest: Sent | undefined
  let why = 'no node answers'
  let [unsent, unsignedSince]: [string?, number?] = []
  for (let turn = 0; performance.now() < deadline; turn += 1) {
    // All of them are heard: the first to answer may be the one that lies, and the slowest has little time.
    const views = (await Promise.allSettled(nodes.map((node) => readStopView(node, request)))).flatMap((answer) =>
      answer.status === 'fulfilled' ? [answer.value] : [],
    )
    if (views.length === 0) patience.ms = Math.min(2 * patience.ms, MOST_PATIENCE_MS)
    else {
      const waiting = rivalsWaiting(views, stop)
      if (mostOf(views, ({ isDeep }) => isDeep) && waiting.length === 0) return newest?.hash
      const isShown = mostOf(views, (view) => view.isShown)
      // The stop itself takes the place of what waits under the next nonce of its key.
      const own = { signer: stop.signer, from: isShown ? 0n : 1n }
      const others = waiting.filter(({ address }) => address !== stop.signer.address)
      const replacing = [own, ...others].map((rival) =>
        replace(deps, views, rival, replaced).catch((error: Error) => {
          logger.warn({ chainId: config.chainId, error: error.message }, 'what could undo the stop was not replaced')
        }),
      )
      why = reasonOf(views, waiting)
      if (!isShown) {
        try {
          newest = await send(deps, views, stop, sent, turn)
          unsent = undefined
        } catch (error) {
          if (
            !(error instanceof Error) ||
            error instanceof KeyActionRefusedError ||
            error instanceof KeyActionUnpaidError
          )
            throw error
          if (error instanceof KeyUnsignedError && newest === undefined) {
            unsignedSince ??= performance.now()
            if (performance.now() - unsignedSince >= unsignedMs) throw error
          }
          // That the time is over hides nothing of why nothing was sent until then.
          unsent = error instanceof KeyActionLateError ? (unsent ?? error.message) : error.message
          why = unsent
        }
      }
      await Promise.all(replacing)
      logger.info({ chainId: config.chainId, action: stop.action.name, txHash: newest?.hash, why }, 'stopping')
    }
    await sleep(Math.min(config.pollIntervalMs, POLL_MS))
  }
  throw new KeyActionLateError(`${stop.action.name}: ${why}; run it again to see it through`)
}

/** What a transaction is sent with is not waited for any longer, and not taken back: gateways drop what they forward once nobody waits for their answer. */
function impatient(node: RpcNode, patience: Readonly<{ ms: number }>): RpcNode {
  return {
    ...node,
    request(method, params, timeoutMs = MOST_PATIENCE_MS) {
      const ms = Math.min(timeoutMs, patience.ms)
      if (method !== 'eth_sendRawTransaction') return node.request(method, params, ms)
      const late = sleep(ms, undefined, { ref: false }).then(() => {
        throw new RpcUnreachableError(`${node.label}: ${method}: no answer within ${ms} ms`)
      })
      return Promise.race([node.request(method, params, timeoutMs), late])
    },
  }
}

function mostOf(views: readonly StopView[], says: (view: StopView) => boolean): boolean {
  return 2 * views.filter(says).length > views.length
}

/** Rivals with transactions that some node still has in its pool. */
function rivalsWaiting(views: readonly StopView[], { rivals }: Stop): { signer?: Signer; address: Address }[] {
  const [first = 0n, ...more] = views.map(({ head }) => head.number)
  // Not the highest: one that says to be far ahead would have all others hold their tongues.
  const usual = lowerMedian([first, ...more])
  const fresh = views.filter(({ head }) => head.number + STALE_BLOCKS >= usual)
  return rivals.filter(({ address }) => fresh.some(({ accounts }) => isWaiting(accounts[address])))
}

function isWaiting(account: Account | undefined): boolean {
  return account !== undefined && account.pending > account.latest
}

function reasonOf(views: readonly StopView[], waiting: readonly { address: Address }[]): string {
  if (!mostOf(views, ({ isShown }) => isShown)) return 'not stopped yet'
  if (waiting.length === 0) return 'stopped, but not at full depth yet'
  const names = waiting.map(({ address }) => address).join(', ')
  return `stopped, but a transaction of ${names} waits in the pool and may undo it`
}
