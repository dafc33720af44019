/** A database that is lent to one test: who holds on to it afterwards reaches nothing of the next one's. */
import { type Database, DatabaseUnavailableError } from '../../src/db/database.ts'

export type Lent = {
  readonly db: Omit<Database, 'close'>
  /** Waits for what runs, and stops listening; every later call throws DatabaseUnavailableError. */
  takeBack(): Promise<void>
}

export function lend(whole: Database): Lent {
  const running = new Set<Promise<unknown>>()
  const listening = new Set<() => Promise<void>>()
  let isOver = false

  function begin<T>(work: () => Promise<T>): Promise<T> {
    if (isOver) return Promise.reject(new DatabaseUnavailableError('the database is closed'))
    const done = work()
    const settled = done.catch(() => {}).finally(() => running.delete(settled))
    running.add(settled)
    return done
  }

  return {
    db: {
      kind: whole.kind,
      query: (text, params) => begin(() => whole.query(text, params)),
      transaction: (work) => begin(() => whole.transaction(work)),
      script: (sql) => begin(() => whole.script(sql)),
      listen: (channel, onNotify) =>
        begin(async () => {
          const stop = await whole.listen(channel, onNotify)
          listening.add(stop)
          return async () => {
            listening.delete(stop)
            await stop()
          }
        }),
    },
    async takeBack() {
      isOver = true
      await Promise.all(running)
      await Promise.all([...listening].map((stop) => stop()))
    },
  }
}
