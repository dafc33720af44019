/** What every process knows of chains that are gone for good. */
import { createLostWatch, type LostWatch } from '../settlement/lost/lost-watch.ts'
import { type Closers, type Parts, startWorking } from './parts.ts'

/** Looks at once, so that nothing is asked of a lost chain, or accepted on one, from the start on. */
export async function startLostWatch(
  { db, logger }: Pick<Parts, 'db' | 'logger'>,
  closers: Closers,
): Promise<LostWatch> {
  const watch = await createLostWatch({ db, logger })
  startWorking(watch, closers)
  return watch
}
