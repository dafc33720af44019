/** The schema as text, read from the catalogue: identical on both engines, so that it can be committed and compared. */
import type { Queryable } from './database.ts'
import { CODE } from './dump-code.ts'
import { TABLES } from './dump-tables.ts'

type Line = { line: string }

const HEADING =
  '-- What the migrations make, read back from the catalogue. Written by `npm run schema:dump`; do not edit.'

/** Describes everything that migrations can make: an object that no section describes is at least named. */
export async function dumpSchema(db: Queryable): Promise<string> {
  const parts = [HEADING]
  for (const { title, sql, inOrder = false } of [...TABLES, ...CODE]) {
    const lines = (await db.query<Line>(sql)).map(({ line }) => line)
    if (lines.length > 0) parts.push([`-- ${title}`, ...(inOrder ? lines : lines.sort())].join('\n'))
  }
  return `${parts.join('\n\n')}\n`
}
