/** Looks for texts that must not be readable, in whatever way they may have been written down. */
import type { Queryable } from '../../src/db/database.ts'

/** A row, as text, of a table. */
export type DumpedRow = { table: string; row: string }

/** Every row of the database, or of one table. */
export async function dumpRows(db: Queryable, only?: string): Promise<DumpedRow[]> {
  const tables = await db.query<{ name: string }>(
    `select tablename::text as name from pg_tables where schemaname = 'public' and ($1::text is null or tablename = $1) order by 1`,
    [only ?? null],
  )
  const dumped: DumpedRow[] = []
  for (const { name } of tables) {
    const rows = await db.query<{ row: string }>(`select t::text as row from "${name}" t`)
    dumped.push(...rows.map(({ row }) => ({ table: name, row })))
  }
  return dumped
}

/** How a text looks that is not sealed but only encoded: as it is, in hexadecimal, or in base64 wherever it begins. */
function spellingsOf(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const inBase64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
    return encoded.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
  })
  const inBase64Url = inBase64.map((encoded) => encoded.replaceAll('+', '-').replaceAll('/', '_'))
  return [text, text.toLowerCase(), bytes.toString('hex'), ...inBase64, ...inBase64Url]
}

/** Which of the texts can be read in `where`. */
export function readableIn(where: string, texts: readonly string[]): string[] {
  const lower = where.toLowerCase()
  return texts.filter(
    (text) => lower.includes(text.toLowerCase()) || spellingsOf(text).some((spelling) => where.includes(spelling)),
  )
}
