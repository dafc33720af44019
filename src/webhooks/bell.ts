/** A bell that a loop waits for. Ringing while nobody waits is remembered once. */
export type Bell = {
  ring(): void
  /** Resolves at the next ring, or after `timeoutMs`. One waiter at a time. */
  wait(timeoutMs: number): Promise<void>
}

export function createBell(): Bell {
  let rung = false
  let wake: (() => void) | undefined
  return {
    ring() {
      rung = true
      wake?.()
    },
    async wait(timeoutMs) {
      if (!rung) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, timeoutMs)
          wake = () => {
            clearTimeout(timer)
            resolve()
          }
        })
        wake = undefined
      }
      rung = false
    },
  }
}
