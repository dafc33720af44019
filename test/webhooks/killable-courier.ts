/** The test's side of `courier-process.ts`. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Command, Reply } from './courier-process.ts'

type WithoutId<T> = T extends unknown ? Omit<T, 'id'> : never

export type KillableCourier = {
  query<R>(sql: string, params?: (string | number | Date | null | string[])[]): Promise<R[]>
  setClock(now: Date): Promise<void>
  start(options: { timeoutMs: number; secretsKey: Uint8Array }): Promise<void>
  stop(): Promise<void>
  /** kill -9. Everything asked and not yet answered is rejected. */
  kill(): Promise<void>
}

/** @param place the database's URL or folder */
export async function spawnCourier(engine: 'postgres' | 'pglite', place: string): Promise<KillableCourier> {
  const script = path.join(import.meta.dirname, 'courier-process.ts')
  const child = fork(script, [engine, place], {
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const ask = asker(child)
  await once(child, 'message')
  const ended = once(child, 'exit')
  return {
    query: async <R>(sql: string, params: (string | number | Date | null | string[])[] = []) =>
      (await ask({ do: 'query', sql, params })) as R[],
    setClock: async (now) => void (await ask({ do: 'clock', now })),
    start: async (options) => void (await ask({ do: 'start', ...options })),
    async stop() {
      await ask({ do: 'stop' })
      child.disconnect()
      await ended
    },
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
  }
}

function asker(child: ChildProcess) {
  const waiting = new Map<number, PromiseWithResolvers<Record<string, unknown>[]>>()
  let asked = 0
  child.on('message', ({ id, rows, error }: Reply) => {
    if (error === undefined) waiting.get(id)?.resolve(rows ?? [])
    else waiting.get(id)?.reject(new Error(error))
    waiting.delete(id)
  })
  child.on('exit', () => {
    for (const question of waiting.values()) question.reject(new Error('The process has ended.'))
    waiting.clear()
  })
  return (command: WithoutId<Command>): Promise<Record<string, unknown>[]> => {
    asked += 1
    const question = Promise.withResolvers<Record<string, unknown>[]>()
    waiting.set(asked, question)
    child.send({ id: asked, ...command }, (error) => {
      if (error !== null) question.reject(error)
    })
    return question.promise
  }
}
