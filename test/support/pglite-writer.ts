/** Writes rows as fast as it can until it is killed, and prints the number of each acknowledged row. */
import { writeSync } from 'node:fs'
import { openPglite } from '../../src/db/pglite.ts'

const db = await openPglite({ dataDir: process.argv[2] })
await db.script('create table if not exists written (n bigint primary key)')
const [row] = await db.query<{ next: bigint }>('select coalesce(max(n), 0) + 1 as next from written')
let next = row?.next ?? 1n

async function write(): Promise<void> {
  for (;;) {
    const n = next
    next += 1n
    if (n % 2n === 0n) await db.query('insert into written values ($1)', [n])
    else await db.transaction((tx) => tx.query('insert into written values ($1)', [n]))
    writeSync(1, `${n}\n`)
  }
}

await Promise.all([write(), write(), write()])
