/**
 * What docs/GOING-LIVE.md asks of `psql`, for machines without it: statements from standard input, as the user and on the server
 * of the environment (PGHOST, PGPORT, PGUSER, PGPASSWORD).
 */
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import pg from 'pg'

const { values } = parseArgs({
  options: { variable: { type: 'string', short: 'v' }, dbname: { type: 'string', short: 'd' } },
})
if (values.variable !== 'ON_ERROR_STOP=1') throw new Error('psql goes on after an error unless ON_ERROR_STOP=1')
const client = new pg.Client({ database: values.dbname })
await client.connect()
try {
  // One by one, because some may not stand in a transaction.
  for (const statement of (await text(process.stdin)).split(/;\n/))
    if (statement.trim() !== '') await client.query(statement)
} finally {
  await client.end()
}
