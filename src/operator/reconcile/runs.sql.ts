/** The table `reconcile_runs`: what the hourly reconciliations found. */
import type { Queryable } from '../../db/database.ts'

/** What is kept of a run: how many differences of each kind. */
export type Run = { finishedAt: Date; ageMs: number; durationMs: number; differences: ReadonlyMap<string, number> }

/** The newest run; undefined before the first. One that is still to come was made while the clock was ahead: it is as old as that was wrong. */
export async function readNewestRun(db: Queryable): Promise<Run | undefined> {
  const [row] = await db.query<{ finished_at: Date; age_ms: number; duration_ms: number; differences: object }>(
    `select finished_at, (abs(extract(epoch from now() - finished_at)) * 1000)::float8 as age_ms, duration_ms, differences
     from reconcile_runs order by run_id desc limit 1`,
  )
  return row === undefined
    ? undefined
    : {
        finishedAt: row.finished_at,
        ageMs: row.age_ms,
        durationMs: row.duration_ms,
        differences: new Map(Object.entries(row.differences)),
      }
}

/** Keeps a run that came to its end. */
export async function insertRun(
  db: Queryable,
  { durationMs, differences }: Pick<Run, 'durationMs' | 'differences'>,
): Promise<void> {
  await db.query('insert into reconcile_runs (duration_ms, differences) values ($1, $2::jsonb)', [
    Math.round(durationMs),
    JSON.stringify(Object.fromEntries(differences)),
  ])
}
