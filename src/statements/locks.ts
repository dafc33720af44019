/** Advisory locks of this room: one file is recorded at a time, and one process books at a time. */
export const STATEMENTS_LOCK = { record: 7_261_011, book: 7_261_012 } as const
