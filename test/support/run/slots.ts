/** Shares the machine between the passes of a run: each goes forward at its own rate, so that all end together. */

export type Slots = {
  /**
   * Works on every item, as many at a time as there are free slots, in the order given.
   * @param weigh how many slots an item takes, at most as many as there are: one unless it says otherwise
   */
  each<T>(items: readonly T[], work: (item: T) => Promise<void>, weigh?: (item: T) => number): Promise<void>
}

type Item = { weight: number; begin: () => void; beside?: Reserved }
/** A heavy one that waits until there is room, and the slots that others may still have meanwhile. */
type Reserved = { item: Item; left: number }
type Line = { total: number; begun: number; waiting: Item[] }

/** @param count how many items of all lists together are worked on at a time */
export function createSlots(count: number): Slots {
  let free = count
  const lines: Line[] = []
  let reserved: Reserved | undefined

  function fill(): void {
    for (let next = choose(); next !== undefined; next = choose()) {
      const { line, item } = next
      free -= item.weight
      line.begun += 1
      line.waiting.splice(line.waiting.indexOf(item), 1)
      item.begin()
    }
  }

  /**
   * The next item is one of the list of which the smallest part has begun. Beside a heavy one that waits until there is room, only as many
   * begin as there would be slots for next to it, or it would wait for ever.
   */
  function choose(): { line: Line; item: Item } | undefined {
    const open = lines
      .filter(({ waiting }) => waiting.length > 0)
      .sort((one, other) => one.begun / one.total - other.begun / other.total)
    const [line] = open
    const first = reserved?.item ?? line?.waiting[0]
    if (line === undefined || first === undefined || free === 0) return undefined
    if (first.weight <= free) {
      reserved = undefined
      return { line: open.find(({ waiting }) => waiting.includes(first)) ?? line, item: first }
    }
    reserved ??= { item: first, left: count - first.weight }
    const room = Math.min(free, reserved.left)
    for (const other of open) {
      const item = other.waiting.find(({ weight }) => weight <= room)
      if (item === undefined) continue
      reserved.left -= item.weight
      item.beside = reserved
      return { line: other, item }
    }
    return undefined
  }

  return {
    async each(items, work, weigh = () => 1) {
      const line: Line = { total: items.length, begun: 0, waiting: [] }
      lines.push(line)
      const done = items.map(async (one) => {
        const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
        const item: Item = { weight: Math.min(count, weigh(one)), begin }
        line.waiting.push(item)
        await begun
        try {
          await work(one)
        } finally {
          free += item.weight
          if (item.beside !== undefined) item.beside.left += item.weight
          fill()
        }
      })
      fill()
      await Promise.all(done)
    },
  }
}
