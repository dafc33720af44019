/** By what a database that was restored is told from one that was only started anew. */

/**
 * SQL: a name for the past of this database, made of its server, its timeline and the number of a table. A database that was restored to a point in time,
 * or has taken over from another, is on another timeline and may lack what was written last; one that was only started anew is on the same. The table
 * has another number where a dump was read into a server that went on. The timeline is that of the log's own position, because the control file of
 * a new primary lags behind.
 */
export const DATABASE_TIMELINE = `(select system_identifier::text from pg_control_system()) || '/' ||
  left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) || '/' || 'chains'::regclass::oid::text`

/**
 * The newest order that any past of this database has had, too. Later ones were accepted on its present timeline, and a past that was lost may
 * have had others under their references. Null where none was: then nothing is later.
 */
export const NEWEST_BEFORE = `(select after_order_id from database_timelines where timeline = (select ${DATABASE_TIMELINE}))`

/**
 * SQL: whether an order `o` may be of a past of this database. Also one with a higher id than `NEWEST_BEFORE`, which is less than the newest of the past once
 * no settler had worked for long, or final batches were given up: what was accepted before the present timeline was noted is of none that came later. By
 * ids, because the clock of a database that has taken over may be behind.
 */
export const MAY_BE_FROM_BEFORE = `coalesce((select o.order_id <= greatest(t.after_order_id, t.newest_order_id) from database_timelines t
  where t.timeline = (select ${DATABASE_TIMELINE})), true)`
