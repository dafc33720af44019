/** Hands signed bytes to nodes, and says what their answers mean. */
import type { Hex } from 'viem'
import { gather } from './answers.ts'
import { RpcAnswerError, type RpcNode } from './node.ts'

export type BroadcastVerdict =
  /** A node has it. */
  | 'accepted'
  /** A node has or had it, or its nonce is used: look it up. */
  | 'known'
  /** The node keeps another transaction with that nonce, because this one does not offer more in both fields. */
  | 'outbid'
  /** The node has certainly not taken it, and would take it for a higher fee. */
  | 'underpriced'
  /** The node has certainly not taken it, and would not for a higher fee either. */
  | 'rejected'
  /** It may have been sent. */
  | 'unknown'
  /** It may have been sent, and another node has rejected it. */
  | 'doubtful'

export type BroadcastAnswer = { verdict: BroadcastVerdict; text: string }

/** Texts that say the transaction, or its nonce, is already on its way or through: geth, erigon, nethermind, besu, anvil. */
const KNOWN = [
  'already known',
  'already imported',
  'alreadyknown',
  'known transaction',
  'already in mempool',
  'already exists',
  'nonce too low',
  'oldnonce',
  'nonce_too_low',
  'transaction nonce is too low',
]

/** Texts that say that another transaction has the nonce. */
const OUTBID = ['replacement transaction underpriced', 'could not replace existing tx', 'replacementnotallowed']

/** Texts of the same checks that a higher fee passes. */
const UNDERPRICED = [
  'max fee per gas less than block base fee',
  'fee cap less than block base fee',
  'transaction underpriced',
  'gas price below current base fee',
  'gas price below configured minimum',
  'feetoolow',
]

/** Texts of checks that every node makes before a transaction can reach its pool. */
const REJECTED = [
  'invalid signature',
  'invalid sender',
  'invalid chain id',
  'wrong chain id',
  'wrong chainid',
  'intrinsic gas too low',
  'intrinsic gas exceeds gas limit',
  'insufficient funds',
  'insufficientfunds',
  'upfront cost exceeds account balance',
  'exceeds block gas limit',
  'gaslimitexceeded',
  'exceeds the configured cap',
  'fee cap exceeded',
  'max priority fee per gas higher than max fee per gas',
  'rlp: ',
]

/**
 * Reads a node's error text. Only texts known to come from checks before anything is kept count as a rejection; any
 * other text, and no answer at all, means "maybe sent".
 */
export function classifyBroadcastError(error: unknown): BroadcastAnswer {
  const text = error instanceof Error ? error.message : 'unreadable error'
  if (!(error instanceof RpcAnswerError)) return { verdict: 'unknown', text }
  const lower = text.toLowerCase()
  if (KNOWN.some((phrase) => lower.includes(phrase))) return { verdict: 'known', text }
  if (OUTBID.some((phrase) => lower.includes(phrase))) return { verdict: 'outbid', text }
  if (UNDERPRICED.some((phrase) => lower.includes(phrase))) return { verdict: 'underpriced', text }
  if (REJECTED.some((phrase) => lower.includes(phrase))) return { verdict: 'rejected', text }
  return { verdict: 'unknown', text }
}

/** The answer that counts when several nodes were asked: an acceptance wins, and any doubt beats a rejection, which is told with it. */
export function strongestAnswer(answers: readonly BroadcastAnswer[]): BroadcastAnswer {
  const order: BroadcastVerdict[] = ['accepted', 'known', 'outbid', 'doubtful', 'unknown', 'underpriced', 'rejected']
  const found = order.flatMap((verdict) => answers.find((answer) => answer.verdict === verdict) ?? [])
  const [strongest] = found
  if (strongest === undefined) return { verdict: 'unknown', text: 'no node was asked' }
  const rejection = found.find(({ verdict }) => verdict === 'rejected')
  if (strongest.verdict !== 'unknown' || rejection === undefined) return strongest
  return { verdict: 'doubtful', text: `${rejection.text}; ${strongest.text}` }
}

const BROADCAST_TIMEOUT_MS = 10_000

/**
 * Sends the same bytes to every node at once, each exactly once. Never throws: an answer that cannot be read is
 * 'unknown'. Waits only until one node has the bytes, or until most have refused them; the others are asked all the same.
 */
export async function broadcast(nodes: readonly RpcNode[], raw: Hex): Promise<BroadcastAnswer> {
  const isEnough = ({ verdict }: BroadcastAnswer) => verdict === 'accepted' || verdict === 'known'
  return strongestAnswer(await gather(sendToEach(nodes, raw), { isEnough, counts: hasTold }))
}

/**
 * The same for whoever must outbid what most pools keep: waits until most have answered, and longer while some want more and others do not.
 * @returns the strongest answer, and whether a higher fee is to be offered: by that one, or because most nodes want one, whoever says that it has the bytes;
 *   `isContested`: whether any node wants one
 */
export async function broadcastToMost(
  nodes: readonly RpcNode[],
  raw: Hex,
): Promise<BroadcastAnswer & { isOutbid: boolean; isContested: boolean }> {
  const isClear = (come: readonly BroadcastAnswer[]) => new Set(come.filter(hasTold).map(wantsMore)).size < 2
  const answers = await gather(sendToEach(nodes, raw), { counts: hasTold, isClear })
  const strongest = strongestAnswer(answers)
  const wanting = answers.filter(wantsMore).length
  return { ...strongest, isOutbid: wantsMore(strongest) || 2 * wanting > nodes.length, isContested: wanting > 0 }
}

function sendToEach(nodes: readonly RpcNode[], raw: Hex): Promise<BroadcastAnswer>[] {
  return nodes.map(async (node): Promise<BroadcastAnswer> => {
    try {
      await node.request('eth_sendRawTransaction', [raw], BROADCAST_TIMEOUT_MS)
      return { verdict: 'accepted', text: `${node.label}: accepted` }
    } catch (error) {
      return classifyBroadcastError(error)
    }
  })
}

const hasTold = ({ verdict }: BroadcastAnswer): boolean => verdict !== 'unknown'

/** Nodes have many words for it. */
const wantsMore = ({ verdict, text }: BroadcastAnswer): boolean =>
  verdict === 'underpriced' || (verdict !== 'accepted' && /underpriced|replace/i.test(text))
