/** /bank/lines: lines that belong to something, and taking back what one belongs to. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import { formatAmount } from '../../money.ts'
import { listLinesOf } from '../../statements/lines-of.sql.ts'
import { takeLineBack } from '../../statements/take-back.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { viewLine } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { nextOf, PageQuery, pageOf, parse, parseSerial, text } from '../parse.ts'

const LinesQuery = Type.Object({ ...PageQuery, of: text(1, 300) }, { additionalProperties: false })
const Body = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

export function bankTakeBackRoutes(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.get('/bank/lines', async ({ query }) => {
    const { of, ...rest } = parse(LinesQuery, query)
    const page = pageOf(rest)
    const before = page.after === undefined ? undefined : parseSerial('after', page.after)
    const lines = await listLinesOf(db, of, { before, limit: page.limit })
    // Names are shown: who looked at them is recorded.
    await appendAudit(db, { action: 'bank.lines.list', target: of, details: { shown: lines.length } })
    const said = await showDetails(
      db,
      secrets,
      lines.map(({ bankId }) => bankId),
    )
    const shown = lines.map((line) => ({
      ...viewLine(line, said.get(line.bankId ?? '')),
      ...{ state: line.state, as: line.kind, belongsTo: line.to },
    }))
    return { ok: true, lines: shown, next: nextOf(lines, page, ({ lineNo }) => String(lineNo)) }
  })

  app.post<{ Params: { lineId: string } }>('/bank/lines/:lineId/take-back', async ({ params, body }) => {
    const lineNo = parseSerial('line', params.lineId)
    const { reason } = parse(Body, body)
    const { amountMicro, place, belonged } = await audited(
      db,
      async (tx) => {
        const taken = await takeLineBack({ tx, secrets }, lineNo, { reason, now: new Date() })
        if (taken.result === 'taken_back') return taken
        const none = `No line with the number ${lineNo} belongs to anything: see "bank lines list --of ID".`
        throw new OperatorError('CONFLICT', taken.result === 'refused' ? taken.sentence : none)
      },
      ({ belonged: { kind, to }, amountMicro: amount, place: where, mints }) => ({
        action: 'bank.lines.take-back',
        target: String(lineNo),
        details: { kind, to, reason, amountMyr: formatAmount(amount), place: where, orders: mints.map(String) },
      }),
    )
    const line = { lineId: String(lineNo), place, amountMyr: formatAmount(amountMicro) }
    return { ok: true, ...line, belongedTo: belonged.to, as: belonged.kind }
  })
}
