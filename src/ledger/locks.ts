/** Advisory locks of the books: many hold the periods open at once, and closing waits for all of them. */
export const LEDGER_LOCK = { periods: 7_261_001, sealer: 7_261_002 } as const
