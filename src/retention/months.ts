/** UTC months as used for partitions. */

/** `first` and `next` are the first days of the month and of the one after it, as `YYYY-MM-DD`. */
export type Month = { first: string; next: string; suffix: string }

/** The month of an instant and the given number of months after it. */
export function monthsFrom(at: Date, ahead: number): Month[] {
  return Array.from({ length: ahead + 1 }, (_, n) => {
    const first = firstDay(at, n)
    return { first, next: firstDay(at, n + 1), suffix: first.slice(0, 7).replace('-', '_') }
  })
}

function firstDay(at: Date, monthsLater: number): string {
  return new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + monthsLater, 1)).toISOString().slice(0, 10)
}
