/**
 * Whether this process and the database agree on what time it is. A file says on which day the bank carries out what is in it, and nothing calls it back:
 * of a day that is over banks reject all of it, and of one that is far away every payee waits until then, while all of it counts as sent.
 */
import type { FilingDeps } from './run.ts'

/** Days and cut-offs can do without an hour; months are not dropped beyond it either. */
const APART_MS = 3_600_000

export class ClocksApartError extends Error {
  constructor(ahead: number) {
    const minutes = Math.round(Math.abs(ahead) / 60_000)
    super(
      `no payment file is written: the clock of this process is ${minutes} minutes ${ahead > 0 ? 'ahead of' : 'behind'} the database's. Set the one that is wrong.`,
    )
  }
}

/** @throws ClocksApartError where they differ by more than an hour: neither is known to be right */
export async function requireOneTime({ now, databaseNow }: Pick<FilingDeps, 'now' | 'databaseNow'>): Promise<void> {
  const ahead = now().getTime() - (await databaseNow()).getTime()
  if (Math.abs(ahead) > APART_MS) throw new ClocksApartError(ahead)
}
