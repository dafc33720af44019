/** How the books name what a batch did, in SQL. */

/**
 * A batch `(chain_id, batch_id)`, such as `batch/1/7`. Where one was booked under its id that no chain has, and was taken back, it has another
 * name: every entry has one of its own, for ever.
 */
export const BATCH_SOURCE = batchSource('batches')

/** The same of a batch that goes by another name in the statement: a table or an alias. */
export function batchSource(batch: string): string {
  return `'batch/' || ${batch}.chain_id || '/' || ${batch}.batch_id || case when ${batch}.taken_back > 0 then '/again/' || ${batch}.taken_back else '' end`
}
