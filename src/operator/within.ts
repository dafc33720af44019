/** Waiting for an answer no longer than somebody has patience for. */

/** The answer, or something instead of one that is late. */
export async function within<T>(patienceMs: number, answer: Promise<T>, instead: () => T): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<T>((resolve) => {
    timer = setTimeout(() => resolve(instead()), patienceMs)
  })
  return await Promise.race([answer, late]).finally(() => clearTimeout(timer))
}
