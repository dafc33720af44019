/** Walks over what was compared before: how far one goes in one turn (pure). */

/** Something at its place in a walk, and how many orders it has. */
export type Placed<Item> = { position: bigint; item: Item; orders: bigint }

/** Where a walk is, and what comes next in it. */
export type Walk<Item> = { what: string; position: bigint; rows: readonly Placed<Item>[] }

/** A walk that goes from one position to another. */
export type Step = { what: string; from: bigint; to: bigint }

/** What is compared now, where that leaves the walk, and whether there was more. */
export type Turn<Item> = { items: Item[]; step: Step; hasMore: boolean }

/**
 * Takes the first of what comes next: at most `most`, and until they have `mostOrders`. After the last comes the first again (0); where a walk `isOver`
 * at its end, it waits there.
 * @param walk with one more than `most`, where there are so many
 */
export function takeTurn<Item>(
  { what, position, rows }: Walk<Item>,
  { most, mostOrders, isOver }: { most: number; mostOrders?: bigint; isOver: boolean },
): Turn<Item> {
  let orders = 0n
  const taken = rows.slice(0, most).filter((row) => {
    const fits = mostOrders === undefined || orders < mostOrders
    orders += row.orders
    return fits
  })
  const hasMore = taken.length < rows.length
  const last = taken.at(-1)?.position ?? position
  const to = hasMore || isOver ? last : 0n
  return { items: taken.map(({ item }) => item), step: { what, from: position, to }, hasMore }
}
