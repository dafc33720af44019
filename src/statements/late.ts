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
 * several one after the other, that opens and closes with the balance there: nothing after it changes.
 * @param late in the order of their days
 */
export function lateThatFit(late: readonly ChainedStatement[]): bigint[] {
  const fitting: bigint[] = []
  const days = new Set<string>()
  let open: ChainedStatement[] = []
  for (const next of late) {
    const newest = open.at(-1)
    if (newest !== undefined && newest.before.closedOn !== next.before.closedOn) open = []
    const balanceMicro = open.at(-1)?.closingMicro ?? next.before.closingMicro
    if (next.openingMicro !== balanceMicro || days.has(next.closedOn)) continue
    days.add(next.closedOn)
    open.push(next)
    if (next.closingMicro !== next.before.closingMicro) continue
    fitting.push(...open.map(({ statementNo }) => statementNo))
    open = []
  }
  return fitting
}
