/** Shares the machine between the passes of a run: each goes forward at its own rate, so that all end together. */

export type Slots = {
  /** Works on every item, as many at a time as there are free slots, in the order given. */
  each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void>
}

type Line = { total: number; begun: number; waiting: (() => void)[] }

/** @param count how many items of all lists together are worked on at a time */
export function createSlots(count: number): Slots {
  let free = count
  const lines: Line[] = []

  /** The next item is one of the list of which the smallest part has begun. */
  function fill(): void {
    while (free > 0) {
      const [line] = lines
        .filter(({ waiting }) => waiting.length > 0)
        .sort((one, other) => one.begun / one.total - other.begun / other.total)
      if (line === undefined) return
      free -= 1
      line.begun += 1
      line.waiting.shift()?.()
    }
  }

  return {
    async each(items, work) {
      const line: Line = { total: items.length, begun: 0, waiting: [] }
      lines.push(line)
      const done = items.map(async (item) => {
        await new Promise<void>((resolve) => line.waiting.push(resolve))
        try {
          await work(item)
        } finally {
          free += 1
          fill()
        }
      })
      fill()
      await Promise.all(done)
    },
  }
}
