/** Where a sandbox begins whose first start is not what is tested: its database is made already, which is most of that start. */
import path from 'node:path'
import { preparedDatabase } from '../support/database.ts'
import { writeFolder } from '../support/pglite-files.ts'
import { temporaryFolder } from '../support/temp.ts'

/** @returns a DATA_DIR that has an embedded database with every migration applied, and nothing else */
export async function migratedDataDir(name: string): Promise<string> {
  const dataDir = path.join(temporaryFolder(name), 'data')
  writeFolder(await preparedDatabase(), path.join(dataDir, 'database'))
  return dataDir
}
