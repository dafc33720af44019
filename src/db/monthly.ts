/** A table in monthly partitions, as the room that writes it describes it; src/retention makes and drops the months. */

export type MonthlyTable = {
  name: string
  /** The column that decides the month of a row. */
  instantColumn: string
  /** How full its pages are written. */
  fillPercent: number
  /** SQL, true while something in the months before `$1` is still needed, so that these may not be dropped. */
  awaited: string
  /** SQL about a row `t` of the default partition: whether it may be deleted once it is older than `$1`. */
  decided: string
}
