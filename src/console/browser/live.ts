/**
 * What keeps pages up to date: one clock asks again for everything that is on the screen. The clock stands still while the
 * page is hidden, and slows down while the service does not answer.
 */
import { get, Refusal } from './api.ts'
import { useEffect, useRef, useState } from './view.ts'

const EVERY_MS = 4_000
const LONGEST_MS = 30_000
/** Whoever looks at a page is told what it has waited for so long. */
const LATE_MS = 3_000

export type Connection = 'live' | 'away' | 'paused'

type Task = () => Promise<void>

const tasks = new Set<Task>()
/** Those that are under way: what is slow to be answered is not asked for once more, and keeps nothing else from being asked for. */
const running = new Set<Task>()
const watchers = new Set<(now: Connection) => void>()
let connection: Connection = 'live'
let waitMs = EVERY_MS
let timer: ReturnType<typeof setTimeout> | undefined

function tell(now: Connection): void {
  if (now === connection) return
  connection = now
  for (const watcher of watchers) watcher(now)
}

function tick(): void {
  clearTimeout(timer)
  if (document.hidden) {
    tell('paused')
    return
  }
  // A page that renews nothing would say for ever what was so before it was hidden, or while the service was away.
  const asked = tasks.size === 0 && connection !== 'live' ? [isThere] : [...tasks]
  for (const task of asked.filter((each) => !running.has(each))) {
    running.add(task)
    void task().finally(() => running.delete(task))
  }
  waitMs = connection === 'away' ? Math.min(waitMs * 2, LONGEST_MS) : EVERY_MS
  timer = setTimeout(tick, waitMs)
}

async function isThere(): Promise<void> {
  await get('/whoami', { byItself: true }).then(answered, refusedWith)
}

const answered = () => tell('live')

/** Tells whether the service is away. */
function refusedWith(error: unknown): Refusal {
  const refusal = error instanceof Refusal ? error : new Refusal('UNREACHABLE', String(error))
  tell(refusal.code === 'UNREACHABLE' ? 'away' : 'live')
  return refusal
}

/** Starts the clock. */
export function startLive(): void {
  document.addEventListener('visibilitychange', tick)
  timer = setTimeout(tick, EVERY_MS)
}

/** Whether the service answers, for the header. */
export function useConnection(): Connection {
  const [now, set] = useState(connection)
  useEffect(() => {
    watchers.add(set)
    return () => void watchers.delete(set)
  }, [])
  return now
}

/** `data` stays while it is asked for again, also when that fails: `error` then says why. `late`: what it has waited for so long, for people. */
export type Live<T> = {
  data: T | undefined
  error: Refusal | undefined
  late: string | undefined
  refresh: () => Promise<void>
}

/**
 * What a GET answers, and what it answers later.
 * @param path below the API; undefined: nothing yet
 * @param live false for looks that the audit log records: they are asked for once, and again by `refresh`
 */
export function useLive<T>(path: string | undefined, { live = true } = {}): Live<T> {
  const [state, set] = useState<{ path: string | undefined; data?: T; error?: Refusal }>({ path })
  const shown = useRef(path)
  shown.current = path
  const [latePath, setLate] = useState<string | undefined>(undefined)
  const turns = useRef({ asked: 0, told: 0 })
  const ask = async (byItself: boolean): Promise<void> => {
    if (path === undefined) return
    turns.current.asked += 1
    const turn = turns.current.asked
    // What was asked for before something was changed may be answered after what was asked for since.
    const isNews = () => shown.current === path && turn > turns.current.told
    const isLate = setTimeout(() => isNews() && setLate(path), LATE_MS)
    try {
      const data = await get<T>(path, { byItself })
      answered()
      if (isNews()) set({ path, data })
    } catch (error) {
      const refusal = refusedWith(error)
      if (isNews()) set((before) => ({ ...(before.path === path ? before : { path }), error: refusal }))
    } finally {
      clearTimeout(isLate)
    }
    if (isNews()) setLate(undefined)
    turns.current.told = Math.max(turns.current.told, turn)
  }
  useEffect(() => {
    void ask(false)
    if (!live || path === undefined) return
    const task = () => ask(true)
    tasks.add(task)
    return () => void tasks.delete(task)
  }, [path, live])
  const own = state.path === path
  return {
    data: own ? state.data : undefined,
    error: own ? state.error : undefined,
    late: path !== undefined && latePath === path ? path.split(/[/?]/)[1] : undefined,
    refresh: () => ask(false),
  }
}
