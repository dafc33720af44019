/** Shares the machine between the passes of a run: each goes forward at its own rate, so that all end together. */

export type Slots = {
  /**
   * Works on every item, as many at a time as there are free slots, in the order given.
   * @param weigh how many slots an item takes, at most as many as there are: one unless it says otherwise
   */
  each<T>(items: readonly T[], work: (item: T) => Promise<void>, weigh?: (item: T) => number): Promise<void>
}

type Line = { total: number; begun: number; waiting: { weight: number; begin: () => void }[] }

/** @param count how many items of all lists together are worked on at a time */
export function createSlots(count: number): Slots {
  let free = count
  const lines: Line[] = []

  /** The next item is one of the list of which the smallest part has begun. A heavy one waits until there is room, and all others with it, or it would wait for ever. */
  function fill(): void {
    while (free > 0) {
      const [line] = lines
        .filter(({ waiting }) => waiting.length > 0)
        .sort((one, other) => one.begun / one.total - other.begun / other.total)
      const [next] = line?.waiting ?? []
      if (line === undefined || next === undefined || next.weight > free) return
      free -= next.weight
      line.begun += 1
      line.waiting.shift()
      next.begin()
    }
  }

  return {
    async each(items, work, weigh = () => 1) {
      const line: Line = { total: items.length, begun: 0, waiting: [] }
      lines.push(line)
      const done = items.map(async (item) => {
        const weight = Math.min(count, weigh(item))
        await new Promise<void>((begin) => line.waiting.push({ weight, begin }))
        try {
          await work(item)
        } finally {
          free += weight
          fill()
        }
      })
      fill()
      await Promise.all(done)
    },
  }
}
