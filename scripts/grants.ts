/** `grants.ts write` writes migrations/grants.sql; `grants.ts check` fails when that file is not what the sources say. */
import { readFile, writeFile } from 'node:fs/promises'
import { GRANTS_FILE } from '../src/db/grants.ts'
import { migrate } from '../src/db/migrate.ts'
import { openPglite } from '../src/db/pglite.ts'
import { readCatalogue } from './grants/catalogue.ts'
import { generateGrants } from './grants/generate.ts'

const db = await openPglite({ dataDir: undefined })
await migrate(db)
const grants = generateGrants(await readCatalogue(db))
await db.close()

if (process.argv[2] === 'write') {
  await writeFile(GRANTS_FILE, grants)
} else if ((await readFile(GRANTS_FILE, 'utf8').catch(() => '')) !== grants) {
  console.error('migrations/grants.sql is not what the sources say: run `npm run grants` and commit it.')
  process.exitCode = 1
}
