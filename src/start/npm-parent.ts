/** npm passes a signal on to the shell between it and what it runs, and that shell ends without passing it on: what it ran would go on for ever. */

const LOOKING_MS = 500

/**
 * Calls `ended` once, when this process was started by npm and the shell that npm had put before it has ended. Keeps nothing alive.
 * @param isUnderNpm whether npm started it: everybody else may end while what they started goes on
 */
export function whenNpmEnds(ended: () => void, isUnderNpm: boolean): void {
  if (!isUnderNpm) return
  const shell = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === shell) return
    clearInterval(looking)
    ended()
  }, LOOKING_MS)
  looking.unref()
}
