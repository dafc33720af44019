/** /bank/lines: lines that belong to something, and taking back what one belongs to. */
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import {
  type BelongingLine,
  isNameOfLines,
  isStatement,
  listLinesIn,
  listLinesOf,
} from '../../statements/lines-of.sql.ts'
import { type Replacement, replaceLine } from '../../statements/replace.ts'
import { takeLineBack } from '../../statements/take-back.ts'
import { senOf } from '../amounts.ts'
import { isSeen, requireAsSeen } from '../as-seen.ts'
import { appendAudit, audited, listAudit } from '../audit.sql.ts'
import { viewLine } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { nextOf, PageQuery, pageOf, parse, parseSerial, serialAfter, text } from '../parse.ts'

const LinesQuery = Type.Object(
  { ...PageQuery, of: Type.Optional(text(1, 300)), statement: Type.Optional(text(1, 18)) },
  { additionalProperties: false },
)
const Body = Type.Object(
  {
    /** Of a line of a payment: the unallocated line that is what this one was taken for. */
    replacedBy: Type.Optional(text(1, 18)),
    /** With `replacedBy`, of that line: as where one is assigned. */
    charges: Type.Optional(text(1, 20)),
    surplus: Type.Optional(text(1, 20)),
    /** What it is to be taken back from: a payout or one payment of it, an integration, a bank account. */
    from: Type.Optional(text(1, 300)),
    reason: text(1, 300),
  },
  { additionalProperties: false },
)

type Asked = { after: bigint | undefined; limit: number }

/** @throws OperatorError NOT_FOUND where nothing is called so */
async function linesOf(db: Queryable, of: string, { after: before, limit }: Asked): Promise<BelongingLine[]> {
  const lines = await listLinesOf(db, of, { before, limit })
  if (lines.length > 0 || (await isNameOfLines(db, of))) return lines
  const sentence = `No integration, payout or bank account with a statement is called ${of}: see "coin integration list", "coin payout list" and "coin bank statements".`
  throw new OperatorError('NOT_FOUND', sentence)
}

/** @throws OperatorError NOT_FOUND */
async function linesIn(db: Queryable, statement: string, asked: Asked): Promise<BelongingLine[]> {
  const statementNo = parseSerial('statement', statement)
  const lines = await listLinesIn(db, statementNo, asked)
  if (lines.length > 0 || (await isStatement(db, statementNo))) return lines
  const sentence = `No statement has the number ${statement}: see "coin bank statements list --of ACCOUNT".`
  throw new OperatorError('NOT_FOUND', sentence)
}

export function bankTakeBackRoutes(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.get('/bank/lines', async ({ query }) => {
    const { of, statement, ...rest } = parse(LinesQuery, query)
    const page = pageOf(rest)
    const asked = { after: serialAfter(page), limit: page.limit }
    if ((of === undefined) === (statement === undefined))
      throw new OperatorError('BAD_REQUEST', 'Give either "of" or "statement".')
    const lines = of === undefined ? await linesIn(db, statement ?? '', asked) : await linesOf(db, of, asked)
    // Names are shown: who looked at them is recorded.
    const target = of ?? `statement/${statement}`
    await appendAudit(db, { action: 'bank.lines.list', target, details: { shown: lines.length } })
    const said = await showDetails(
      db,
      secrets,
      lines.map(({ bankId }) => bankId),
    )
    const shown = lines.map((line) => {
      const { state, kind, to, reverses } = line
      return { ...viewLine(line, said.get(line.bankId ?? '')), state, as: kind, belongsTo: to, reverses }
    })
    return { ok: true, lines: shown, next: nextOf(lines, page, ({ lineNo }) => String(lineNo)) }
  })

  app.post<{ Params: { lineId: string } }>('/bank/lines/:lineId/take-back', async ({ params, body, headers }) => {
    const lineNo = parseSerial('line', params.lineId)
    const { reason, from, ...other } = parse(Body, body)
    const replacement = replacementOf(other)
    const { amountMicro, place, belonged } = await audited(
      db,
      async (tx) => {
        const why = { reason, now: new Date() }
        const taken =
          replacement === undefined
            ? await takeLineBack({ tx, secrets }, lineNo, why)
            : await replaceLine({ tx, secrets }, lineNo, { replacement, ...why })
        if (taken.result === 'taken_back') return await ofWhatWasMeant(tx, lineNo, { headers, from, taken })
        const none = `There is no line ${lineNo} that belongs to anything: see "coin bank lines list --of ID".`
        throw new OperatorError('CONFLICT', taken.result === 'refused' ? taken.sentence : none)
      },
      ({ belonged: { kind, to }, amountMicro: amount, place: where, mints, paidAgain }) => ({
        action: 'bank.lines.take-back',
        target: String(lineNo),
        details: {
          kind,
          to,
          reason,
          amountMyr: formatAmount(amount),
          place: where,
          orders: mints.map(String),
          ...(paidAgain.length === 0 ? {} : { paidAgain: paidAgain.map(String) }),
          ...(other.replacedBy === undefined ? {} : { ...other }),
        },
      }),
    )
    const line = { lineId: String(lineNo), place, amountMyr: formatAmount(amountMicro) }
    const by = replacement === undefined ? {} : { replacedBy: String(replacement.lineNo) }
    return { ok: true, ...line, belongedTo: belonged.to, as: belonged.kind, ...by }
  })
}

type Meant<T> = { headers: IncomingHttpHeaders; from: string | undefined; taken: T }

/**
 * A line that was taken back before may belong to what somebody else has found to be right: another one who still means to part it from what was wrong says so.
 * @throws OperatorError CONFLICT where it belongs to something else since it was looked at
 */
async function ofWhatWasMeant<T extends { belonged: { to: string } }>(
  tx: Queryable,
  lineNo: bigint,
  { headers, from, taken }: Meant<T>,
): Promise<T> {
  const { to } = taken.belonged
  requireAsSeen(headers, to, `What line ${lineNo} belongs to`)
  // A payout names its payment; what was claimed of one has a name of its own.
  const names = (what: string) => what === from || (what.startsWith(`${from}/`) && !what.includes('/claim/'))
  if (from !== undefined && !names(to))
    throw new OperatorError('CONFLICT', `Line ${lineNo} belongs to ${to} now, not to ${from}. Nothing was done.`)
  if (to === from || isSeen(headers)) return taken
  const earlier = await listTakenFrom(tx, lineNo)
  // A payout's name is that of all its payments.
  const other = from === undefined ? undefined : earlier.find((each) => names(each) && each !== to)
  if (other !== undefined) {
    const sentence = `Line ${lineNo} was taken back from ${other} before, and belongs to another payment of ${from} now: say with --from which one you mean, as "coin bank lines list --of ${from}" names it. Nothing was done.`
    throw new OperatorError('CONFLICT', sentence)
  }
  if (from !== undefined || earlier.length === 0) return taken
  const sentence = `Line ${lineNo} was taken back before, and may belong to something else by now: say what it is to be taken back from, with --from (a payout, an integration or a bank account).`
  throw new OperatorError('CONFLICT', sentence)
}

const MOST_DECISIONS = 100

/** What a line was taken back from before. */
async function listTakenFrom(tx: Queryable, lineNo: bigint): Promise<string[]> {
  const entries = await listAudit(tx, { target: String(lineNo) }, { before: null, limit: MOST_DECISIONS })
  return entries.filter(({ action }) => action === 'bank.lines.take-back').map(({ details }) => String(details.to))
}

function replacementOf({
  replacedBy,
  charges,
  surplus,
}: Omit<Static<typeof Body>, 'reason' | 'from'>): Replacement | undefined {
  if (charges !== undefined && surplus !== undefined) {
    throw new OperatorError('BAD_REQUEST', 'Give either "charges" or "surplus", not both.')
  }
  if (replacedBy !== undefined) {
    const lineNo = parseSerial('replacedBy', replacedBy)
    return { lineNo, chargesSen: senOf('charges', charges), surplusSen: senOf('surplus', surplus) }
  }
  if ((charges ?? surplus) === undefined) return undefined
  throw new OperatorError('BAD_REQUEST', '"charges" and "surplus" are said of the line in "replacedBy": give that too.')
}
