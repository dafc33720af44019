/** Questions to all nodes side by side: the middle one of their answers counts, and nobody waits for the slowest. */
import { RpcAnswerError, type RpcNode } from './node.ts'
import { NoQuorumError } from './quorum.ts'
import { revertName } from './settlement-reads.ts'

/** How long to wait for the others once most nodes have answered. */
const STRAGGLER_MS = 150
/** The same while what has come contradicts itself: of two answers nobody can tell which one is wrong. */
const UNCLEAR_MS = 2_000

/** An answer, or why there is none. */
export type NodeAnswer<T> = { value: T } | { error: unknown }

type Patience<T> = {
  isEnough?(each: T): boolean
  counts?(each: T): boolean
  isClear?(come: readonly T[]): boolean
}

/**
 * Waits for things that never fail: until all have come, until one is enough by itself, or a moment after most of them
 * have come.
 * @param isEnough whether something is enough by itself; default: nothing is
 * @param counts whether something counts as an answer; default: everything does
 * @param isClear whether what has come says one thing; while it does not, the others are waited for longer
 */
export function gather<T>(
  asked: readonly Promise<T>[],
  { isEnough = () => false, counts = () => true, isClear = () => true }: Patience<T> = {},
): Promise<T[]> {
  const { promise, resolve } = Promise.withResolvers<T[]>()
  const come: T[] = []
  let answers = 0
  let straggling: NodeJS.Timeout | undefined
  let patienceMs = Number.POSITIVE_INFINITY
  const end = () => {
    patienceMs = 0
    clearTimeout(straggling)
    resolve([...come])
  }
  const waitAtMost = (ms: number) => {
    if (ms >= patienceMs) return
    clearTimeout(straggling)
    patienceMs = ms
    straggling = setTimeout(end, ms)
  }
  if (asked.length === 0) end()
  for (const each of asked) {
    void each.then((value) => {
      come.push(value)
      if (counts(value)) answers += 1
      if (come.length === asked.length || isEnough(value)) end()
      else if (2 * answers > asked.length) waitAtMost(isClear(come) ? STRAGGLER_MS : UNCLEAR_MS)
    })
  }
  return promise
}

/** What the nodes answer to a question. A refusal is an answer too; a node that cannot be reached has none. */
export async function answersOf<T>(
  nodes: readonly RpcNode[],
  read: (node: RpcNode) => Promise<T>,
  isClear: (answers: readonly NodeAnswer<T>[]) => boolean,
): Promise<NodeAnswer<T>[]> {
  const asked = nodes.map((node) =>
    read(node).then(
      (value): NodeAnswer<T> => ({ value }),
      (error: unknown): NodeAnswer<T> => ({ error }),
    ),
  )
  return await gather(asked, {
    counts: (answer) => isTold(answer),
    isClear,
  })
}

/** Whether the node has said something: a refusal, too. */
function isTold(answer: NodeAnswer<unknown>): boolean {
  return 'value' in answer || answer.error instanceof RpcAnswerError
}

const CLEAR_ANSWERS = 3

/** Whether numbers are of one size, and none stands beside a refusal; three answers have a middle, whatever they say. */
function isOneSize(answers: readonly NodeAnswer<bigint>[]): boolean {
  const told = answers.filter((answer) => isTold(answer))
  if (told.length >= CLEAR_ANSWERS) return true
  const values = told.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  if (values.length < told.length) return values.length === 0
  return values.every((one) => values.every((other) => one <= 2n * other))
}

/** The values among answers. @throws NoQuorumError when there is none, with the nodes' reasons */
export function valuesOf<T>(answers: readonly NodeAnswer<T>[]): [T, ...T[]] {
  const [first, ...more] = answers.flatMap((answer) => ('value' in answer ? [answer.value] : []))
  if (first !== undefined) return [first, ...more]
  const reasons = answers.map((answer) =>
    'error' in answer && answer.error instanceof Error ? answer.error.message : '',
  )
  throw new NoQuorumError(`no node answered: ${reasons.join('; ')}`)
}

/** The middle of several numbers; of two middle ones the lower, which spends less and waits more (pure). */
export function lowerMedian([first, ...more]: readonly [bigint, ...bigint[]]): bigint {
  const sorted = [first, ...more].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))
  return sorted[(sorted.length - 1) >> 1] ?? first
}

/** The middle one of what the nodes answer. @throws NoQuorumError when none does */
export async function medianOf(nodes: readonly RpcNode[], read: (node: RpcNode) => Promise<bigint>): Promise<bigint> {
  return lowerMedian(valuesOf(await answersOf(nodes, read, isOneSize)))
}

/**
 * The gas that most nodes estimate for a call, or the revert that most of them foresee.
 * @throws RpcAnswerError, the revert, when at least half of those that can tell foresee one; NoQuorumError when none can
 */
export async function estimateOf(nodes: readonly RpcNode[], read: (node: RpcNode) => Promise<bigint>): Promise<bigint> {
  const answers = await answersOf(nodes, read, isOneSize)
  const reverts = answers.flatMap((answer) => ('error' in answer && revertName(answer.error) ? [answer.error] : []))
  const estimates = answers.filter((answer) => 'value' in answer)
  if (reverts.length === 0 || estimates.length > reverts.length) return lowerMedian(valuesOf(answers))
  const votes = (error: unknown) => reverts.filter((each) => revertName(each) === revertName(error)).length
  throw reverts.reduce((most, each) => (votes(each) > votes(most) ? each : most))
}
