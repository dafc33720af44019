/** The head that a round goes by: the one of the round before, while no other can be there yet. */
import { agreedHead } from '../../chain/quorum.ts'
import { remembering } from '../../chain/remembering.ts'
import { type FollowedHead, withFinality } from '../finality.ts'
import { nextBlockInterval, quietMs } from '../form/pace.ts'
import type { Work } from '../work.ts'
import { isNews } from './observe.ts'

/** So many intervals between blocks tell whether they come regularly. */
const LATELY = 4

/** The newest agreed head. @throws NoQuorumError */
export async function headOf(work: Work): Promise<FollowedHead> {
  const { chain, memory, nowMs } = work
  const { quiet } = memory.blocks
  memory.blocks.quiet = undefined
  if (quiet !== undefined && nowMs() < quiet.untilMs) return quiet.at
  const nodes = chain.nodes.map((node) => remembering(node))
  const at = await withFinality(work, await agreedHead(nodes, chain.config.quorum))
  noteHead(work, at)
  return at
}

/**
 * At the end of a round that went well: lets the next ones go by the same head until another one may be there, unless there is more
 * to see at this one.
 */
export function keepHead(work: Work, at: FollowedHead): void {
  const { memory } = work
  if (isNews(work, at) || memory.follow.behindSinceMs !== undefined) return
  memory.blocks.quiet = { at, untilMs: quietUntilMs(work) }
}

/** Whether no block can have come since the newest one was seen. */
export function isQuiet(work: Work): boolean {
  return work.nowMs() < quietUntilMs(work)
}

function quietUntilMs({ chain, memory }: Work): number {
  const { lately, seenAtMs } = memory.blocks
  return seenAtMs + quietMs(lately.slice(-LATELY), LATELY, chain.config.pollIntervalMs)
}

function noteHead({ memory, nowMs }: Work, { head }: FollowedHead): void {
  const { number, seenAtMs, intervalMs, lately } = memory.blocks
  if (head.number === number) return
  const now = nowMs()
  const blocks = Number(head.number - number)
  if (number >= 0n && blocks > 0) {
    const measuredMs = (now - seenAtMs) / blocks
    memory.blocks.intervalMs = nextBlockInterval(intervalMs, measuredMs)
    memory.blocks.lately = [...lately.slice(1 - LATELY), measuredMs]
  }
  memory.blocks.number = head.number
  memory.blocks.seenAtMs = now
}
