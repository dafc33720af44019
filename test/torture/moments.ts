/** What must be so at every moment, not only at the end: asked again and again while the load and the faults go on. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Moments } from './judge/evidence.ts'
import { readWrongNow } from './judge/tables.ts'
import type { TortureDatabase } from './world/database.ts'

const EVERY_MS = 400

/** Looks until the returned function is called. A look that a fault prevents does not count. */
export function watchMoments(query: TortureDatabase['query']): () => Promise<Moments> {
  const wrong = new Set<string>()
  let looks = 0
  let isOver = false
  const looking = (async () => {
    while (!isOver) {
      try {
        for (const found of await readWrongNow(query)) wrong.add(found)
        looks += 1
      } catch {
        // The database is away.
      }
      await sleep(EVERY_MS)
    }
  })()
  return async () => {
    isOver = true
    await looking
    return { looks, wrong: [...wrong] }
  }
}
