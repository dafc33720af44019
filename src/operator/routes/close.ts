/** GET /close: the report of a day, as JSON or CSV. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { readPeriods } from '../../ledger/periods.sql.ts'
import { closeCsv } from '../close/csv.ts'
import { readCloseReport } from '../close/report.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parseDay } from '../instants.ts'
import { oneOf, parse, text } from '../parse.ts'

const Query = Type.Object(
  { date: text(1, 20), format: Type.Optional(oneOf(['json', 'csv'])) },
  { additionalProperties: false },
)

export function closeRoutes(app: FastifyInstance, { db, bankAccounts }: OperatorDeps): void {
  app.get('/close', async ({ query }, reply) => {
    const { date, format } = parse(Query, query)
    const day = parseDay('date', date)
    const { today } = await readPeriods(db)
    if (day > today) throw new OperatorError('BAD_REQUEST', `"date" is in the future: today is ${today} in the books.`)
    const report = await readCloseReport(db, day, bankAccounts)
    if (format !== 'csv') return { ok: true, ...report }
    return reply.header('content-type', 'text/csv; charset=utf-8').send(closeCsv(report))
  })
}
