/** Which late statements fit between applied ones (pure). */

export type ChainedStatement = {
  statementNo: bigint
  closedOn: string
  openingMicro: bigint
  closingMicro: bigint
  /** The applied statement before it. */
  before: { closedOn: string; closingMicro: bigint }
}

/**
 * Applied statements follow one another without a gap in their balances. So what fits between two is a statement, or
 * several one after the other, that opens and closes with the balance there: nothing after it changes. Several may be of one day, in the
 * order of their balances; what tells a day again that others have told waits.
 * @param late in the order of their days
 */
export function lateThatFit(late: readonly ChainedStatement[]): bigint[] {
  const fitting: bigint[] = []
  const toldDays = new Set<string>()
  const leadNowhere = new Set<ChainedStatement>()
  for (const first of late) {
    if (first.openingMicro !== first.before.closingMicro || toldDays.has(first.closedOn)) continue
    const isBeside = ({ before, closedOn }: ChainedStatement) =>
      before.closedOn === first.before.closedOn && !toldDays.has(closedOn)
    const chain = chainFrom(
      first,
      late.filter((one) => isBeside(one) && !leadNowhere.has(one)),
      leadNowhere,
    )
    for (const { closedOn } of chain) toldDays.add(closedOn)
    fitting.push(...chain.map(({ statementNo }) => statementNo))
  }
  return fitting
}

/**
 * The fewest statements, one after the other, from this one to one that closes with the balance there; none when they do not lead to it:
 * then none of those that were gone through does, and they are added to `leadNowhere`.
 */
function chainFrom(
  first: ChainedStatement,
  others: readonly ChainedStatement[],
  leadNowhere: Set<ChainedStatement>,
): ChainedStatement[] {
  const cameFrom = new Map<ChainedStatement, ChainedStatement | undefined>([[first, undefined]])
  // A map that grows while it is iterated yields what was added, too.
  for (const [at] of cameFrom) {
    if (at.closingMicro === first.before.closingMicro) return pathTo(at, cameFrom)
    for (const next of others) {
      const follows = next.openingMicro === at.closingMicro && next.closedOn >= at.closedOn
      if (follows && !cameFrom.has(next)) cameFrom.set(next, at)
    }
  }
  for (const [at] of cameFrom) leadNowhere.add(at)
  return []
}

function pathTo(last: ChainedStatement, cameFrom: ReadonlyMap<ChainedStatement, ChainedStatement | undefined>) {
  const path: ChainedStatement[] = []
  for (let at: ChainedStatement | undefined = last; at !== undefined; at = cameFrom.get(at)) path.unshift(at)
  return path
}
