/**
 * `schema.ts dump` writes migrations/schema.sql; `schema.ts check` fails when that file is not what the migrations
 * make.
 */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { dumpSchema } from '../src/db/dump.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPglite } from '../src/db/pglite.ts'

const FILE = path.join(import.meta.dirname, '../migrations/schema.sql')

const db = await openPglite({ dataDir: undefined })
await migrate(db)
const schema = await dumpSchema(db)
await db.close()

if (process.argv[2] === 'dump') {
  await writeFile(FILE, schema)
} else if ((await readFile(FILE, 'utf8').catch(() => '')) !== schema) {
  console.error('migrations/schema.sql is not what the migrations make: run `npm run schema:dump` and commit it.')
  process.exitCode = 1
}
