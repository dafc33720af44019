/**
 * One idempotent contract call of an operator's key (link, unlink, freeze, unfreeze, unpause; a stop has `stop.ts`), repeated until
 * the chain shows its effect at full depth. The effect is the truth: a crash in between is repaired by running the action again.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { Address, Hex } from 'viem'
import type { ChainConfig } from '../config.ts'
import type { Database } from '../db/database.ts'
import { acquireLease, type Lease, releaseLease, renewLease } from '../leases/leases.sql.ts'
import { medianOf } from './answers.ts'
import { broadcast } from './broadcast.ts'
import { bumpedFees, type Fees } from './fees.ts'
import { estimateCall } from './key-accepted.ts'
import { KeyActionLateError, tooDear, tooLate } from './key-action-errors.ts'
import { isShown, wasShownAtDepth } from './key-effect.ts'
import { nonceAt, noteInVain, whoWaits } from './key-nonces.ts'
import { readPrice } from './key-price.ts'
import { signedByKey } from './key-signature.ts'
import type { RpcNode } from './node.ts'
import { type AgreedHead, agreedHead, NoQuorumError } from './quorum.ts'
import { readNonce } from './reads.ts'
import type { Signer } from './signer.ts'

export type KeyAction = {
  /** The operator's name for it, e.g. `link wallet 0x…`. */
  name: string
  to: Address
  data: Hex
  /** A view call, and the raw result it returns once the action has taken effect. */
  effect: { data: Hex; expected: Hex }
  /** It is not repeated when the effect is gone again, because somebody has decided otherwise. Its key can undo nothing of it. */
  once?: boolean
  /** It stops something: nothing that waits of another's key may undo it either, and it may cost what a stop may. */
  stops?: boolean
}

export type KeyActionDeps = {
  config: ChainConfig
  nodes: readonly RpcNode[]
  db: Database
  logger: Logger
  deadlineMs?: number
  /** Others whose transactions can undo what stops something. */
  rivals?: readonly Address[]
}

const LEASE_MS = 15_000
const DEADLINE_MS = 180_000
/** How long nodes may fail to agree before it is given up: behind one address are often several, and some of them are behind the others. */
const UNREADABLE_MS = 10_000

/**
 * Performs the action unless its effect is already there, and waits until it is `confirmations` deep. Processes that
 * use the same key take turns by a lease on it.
 * @returns the hash of the last transaction sent, or undefined when none was needed
 * @throws KeyActionLateError, KeyActionRefusedError when the call would revert, NoQuorumError when nodes do not agree
 */
export async function performKeyAction(
  deps: KeyActionDeps,
  signer: Signer,
  action: KeyAction,
): Promise<Hex | undefined> {
  // Not by the time of day, which somebody may set back.
  const deadline = performance.now() + (deps.deadlineMs ?? DEADLINE_MS)
  const progress = freshProgress()
  for (;;) {
    const lease = await waitForLease(deps, signer, action, deadline)
    const renewal = setInterval(() => void renewLease(deps.db, lease, LEASE_MS).catch(() => false), LEASE_MS / 3)
    try {
      if (await repeatUntilDone({ ...deps, lease, deadline }, signer, action, progress)) return progress.sent?.hash
    } finally {
      clearInterval(renewal)
      await releaseLease(deps.db, lease).catch(() => {})
    }
    // Nothing is to be sent while what another's key has sent waits: whoever must stop something else has the key meanwhile.
    await sleep(pauseOf(deps))
    if (performance.now() >= deadline) throw tooLate(action, progress.threats)
  }
}

const pauseOf = ({ config }: KeyActionDeps) => Math.min(config.pollIntervalMs, 1_000)

async function waitForLease(deps: KeyActionDeps, signer: Signer, action: KeyAction, deadline: number): Promise<Lease> {
  const name = `key:${deps.config.chainId}:${signer.address}`
  // Each action is a holder of its own, so that two at once take turns even within one process.
  const holder = `action-${randomUUID()}`
  while (performance.now() < deadline) {
    const lease = await acquireLease(deps.db, name, holder, LEASE_MS)
    if (lease !== undefined) return lease
    await sleep(100)
  }
  throw new KeyActionLateError(`${action.name}: the key ${signer.address} is in use by another process; try again`)
}

/** An action that has its turn with the key. */
type Turn = KeyActionDeps & { lease: Lease; deadline: number }

type Sent = { raw: Hex; hash: Hex; nonce: bigint; fees: Fees; atBlock: bigint }

/**
 * What was sent last, since which block the effect is there, and since which one its nonce is used without it. `inVain`: nonces that were used so.
 * `threats`: the effect is there, and what waits from these may undo it.
 */
type Progress = {
  sent: Sent | undefined
  shownSince: bigint | undefined
  usedSince: bigint | undefined
  inVain: Set<bigint>
  threats: readonly Address[]
}

/** @returns false where it is done but for what waits of others' keys */
async function repeatUntilDone(deps: Turn, signer: Signer, action: KeyAction, progress: Progress): Promise<boolean> {
  const { deadline } = deps
  let readAtMs = performance.now()
  while (performance.now() < deadline) {
    try {
      if (await advance(deps, signer, action, progress)) return progress.threats.length === 0
      readAtMs = performance.now()
    } catch (error) {
      // Whatever was sent is known, and nothing was when this came: to look again is as safe as running the action again.
      if (!(error instanceof NoQuorumError) || performance.now() - readAtMs >= UNREADABLE_MS) throw error
    }
    await sleep(pauseOf(deps))
  }
  throw tooLate(action, progress.threats)
}

const freshProgress = (): Progress => ({
  sent: undefined,
  shownSince: undefined,
  usedSince: undefined,
  inVain: new Set(),
  threats: [],
})

/** Looks once, and sends what is to be sent. Returns whether the effect is at full depth, and nothing of the key itself may undo it. */
async function advance(deps: Turn, signer: Signer, action: KeyAction, progress: Progress): Promise<boolean> {
  const { config, nodes, rivals = [] } = deps
  const at = await agreedHead(nodes, config.quorum)
  const { sent } = progress
  const mayUndo = action.once === true ? [] : [signer.address, ...(action.stops === true ? rivals : [])]
  const isThere = await isShown(config, at, action)
  progress.threats = isThere ? await whoWaits(config, at, mayUndo) : []
  const isOwn = progress.threats.includes(signer.address)
  if (isThere && !isOwn) {
    progress.shownSince ??= at.head.number
    const isDeep = at.head.number - progress.shownSince + 1n >= BigInt(config.confirmations)
    // An effect from before this run may be as young as the head, so its depth is looked up instead of counted here.
    return isDeep || (sent === undefined && (await wasShownAtDepth(config, at, action)))
  }
  progress.shownSince = undefined
  const isUsed = sent !== undefined && (await nonceAt(config, at, signer.address)) > sent.nonce
  // A node that makes its next block while it is asked may show the effect of one block and the nonce of the other.
  progress.usedSince = isUsed ? (progress.usedSince ?? at.head.number) : undefined
  const isUsedUp = progress.usedSince !== undefined && at.head.number > progress.usedSince
  if (isUsed && !isUsedUp) return false
  if (isUsedUp && action.once === true) {
    throw new KeyActionLateError(`${action.name}: somebody has undone it meanwhile, or stopped it on its way`)
  }
  // What stops something is tried on: whoever uses up its nonces undoes it, or has the key.
  if (isUsedUp && !isThere && action.stops !== true) noteInVain(action, sent, progress.inVain)
  if (sent === undefined || isUsedUp || at.head.number - sent.atBlock >= BigInt(config.bumpAfterBlocks)) {
    progress.sent = await send(deps, at, signer, action, sent)
  }
  return false
}

async function send(
  { config, logger, db, lease, deadline }: Turn,
  at: AgreedHead,
  signer: Signer,
  action: KeyAction,
  previous: Sent | undefined,
): Promise<Sent> {
  const { nodes } = at
  const [newest, used] = await Promise.all([
    medianOf(nodes, (node) => readNonce(node, signer.address, 'latest')),
    nonceAt(config, at, signer.address),
  ])
  // What one of several behind an address calls its newest block may be an older one than the agreed head.
  const nonce = newest > used ? newest : used
  const gas = ((await estimateCall(nodes, signer, action)) * 12n) / 10n
  const { market, capWei } = await readPrice(config, at, signer, { stops: action.stops, gas })
  // Last before anything is sent: a process that was halted, as while it asked a signer, would go on with a new nonce,
  // long after whoever asked was told that it was too late.
  const mayStill = async () => {
    if (performance.now() < deadline && (await renewLease(db, lease, LEASE_MS))) return
    throw new KeyActionLateError(
      `${action.name}: interrupted for so long that others may have decided otherwise; look, and run it again`,
    )
  }
  const isAgain = previous?.nonce === nonce
  const fees = isAgain ? bumpedFees(previous.fees, market, capWei) : market
  if (fees === undefined && isAgain) {
    // It may still be mined, and nodes may have lost it.
    await mayStill()
    await broadcast(nodes, previous.raw)
    return { ...previous, atBlock: at.head.number }
  }
  if (fees === undefined) throw tooDear(action, signer)
  const { raw, hash } = await signedByKey(signer, {
    chainId: config.chainId,
    nonce,
    to: action.to,
    data: action.data,
    value: 0n,
    gas,
    ...fees,
  })
  await mayStill()
  const answer = await broadcast(at.nodes, raw)
  logger.info(
    { chainId: config.chainId, action: action.name, txHash: hash, answer: answer.text },
    'operator transaction sent',
  )
  return { raw, hash, nonce, fees, atBlock: at.head.number }
}
