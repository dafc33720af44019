/** What of some lines is left when others are taken away, each once: two tellings of the same days, in other words perhaps (pure). */

/** `remitterAccount`: of what is stored, its last four digits. */
export type ToldLine = {
  bookedOn: string
  amountMicro: bigint
  servicerReference: string | null
  endToEndId: string | null
  remitterAccount?: string | null | undefined
}

/** `referred`: only what has the bank's own reference of the other is the same; `may be`: whatever no reference says to be another. */
export type Alike = 'referred' | 'may be'

/** Lines that are left, to be found by what another one says: the first of those that it may be. */
type Left<L> = {
  all(): L[]
  take(line: L): void
  /** One that has the bank's own reference of it. */
  referredBy(one: ToldLine): L | undefined
  /**
   * One that the same account has paid, or was paid by (a bank's CSV names that, and no reference perhaps); else one that has no reference of the bank where
   * it has none; else any.
   */
  alike(one: ToldLine): L | undefined
}

/** `lines` less one for each of `some`; undefined unless each of these is among them: of that day and amount, and alike. */
export function less<L extends ToldLine>(
  lines: readonly L[],
  some: readonly ToldLine[],
  alike: Alike,
): L[] | undefined {
  const left = leftOf(lines)
  for (const one of some) {
    // Most have a name of their own.
    const found = left.referredBy(one) ?? (alike === 'referred' ? undefined : left.alike(one))
    if (found === undefined) return undefined
    left.take(found)
  }
  return left.all()
}

/** Thousands may be of one day and amount, and none is compared with all of these: each is listed under whatever it may be asked for. */
export function leftOf<L extends ToldLine>(lines: readonly L[]): Left<L> {
  const left = new Set(lines)
  const places = new Map(lines.map((line, place) => [line, place]))
  const lists = Map.groupBy(
    lines.toReversed().flatMap((line) => keysOf(line).map((key) => ({ key, line }))),
    ({ key }) => key,
  )
  const firstOf = (key: string): L | undefined => {
    const list = lists.get(key) ?? []
    // The first ones are at the end, where they are dropped once they are taken.
    for (let last = list.at(-1); last !== undefined && !left.has(last.line); last = list.at(-1)) list.pop()
    return list.at(-1)?.line
  }
  const find = (one: ToldLine, references: readonly string[], ending: string): L | undefined =>
    references
      .flatMap((reference) => idsOf(one).map((id) => firstOf(keyOf(one, reference, id, ending))))
      .filter((line) => line !== undefined)
      .reduce<L | undefined>((first, line) => (first && placeOf(first) < placeOf(line) ? first : line), undefined)
  const placeOf = (line: L) => places.get(line) ?? 0

  return {
    all: () => [...left],
    take: (line) => void left.delete(line),
    referredBy: (one) =>
      one.servicerReference === null ? undefined : find(one, [named(one.servicerReference)], WHATEVER),
    alike(one) {
      const own = named(one.servicerReference)
      const references = one.servicerReference === null ? [WHATEVER] : [own, NONE]
      const ending = named(endingOf(one))
      const ofSame = ending === NONE ? undefined : find(one, references, ending)
      return ofSame ?? find(one, [own], WHATEVER) ?? find(one, references, WHATEVER)
    },
  }
}

const NONE = '-'
const WHATEVER = '*'
const named = (said: string | null | undefined) => (said === null || said === undefined ? NONE : `=${said}`)

const endingOf = ({ remitterAccount }: ToldLine) => remitterAccount?.slice(-4)

/** The end-to-end ids that a line may have which is this one. */
const idsOf = ({ endToEndId }: ToldLine) => (endToEndId === null ? [WHATEVER] : [named(endToEndId), NONE])

const keyOf = ({ bookedOn, amountMicro }: ToldLine, ...said: readonly string[]) =>
  JSON.stringify([bookedOn, String(amountMicro), ...said])

/** Under what a line is listed. */
function keysOf(line: ToldLine): string[] {
  const [reference, id, ending] = [named(line.servicerReference), named(line.endToEndId), named(endingOf(line))]
  return [reference, WHATEVER].flatMap((byReference) =>
    [id, WHATEVER].flatMap((byId) => [ending, WHATEVER].map((byEnding) => keyOf(line, byReference, byId, byEnding))),
  )
}
