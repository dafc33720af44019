/** /bank: statements, files, mints whose ringgit is awaited, and money that nothing explains. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import { findIntegration } from '../../integrations/integrations.sql.ts'
import { formatAmount } from '../../money.ts'
import { readStop } from '../../payment-files/files.sql.ts'
import { hasStatement, listApplied } from '../../statements/applied.sql.ts'
import { assignLine, type Explanation } from '../../statements/assign.ts'
import { readAwaited } from '../../statements/awaited.ts'
import { readBankBalances } from '../../statements/balances.sql.ts'
import { findPaymentOf } from '../../statements/facts.sql.ts'
import { listLeft } from '../../statements/left.sql.ts'
import { listFiles, listUnallocated } from '../../statements/lists.sql.ts'
import { listNotified } from '../../statements/notified.sql.ts'
import { reverseCredit } from '../../statements/reverse.ts'
import { listWaiting } from '../../statements/waiting.sql.ts'
import { senOf } from '../amounts.ts'
import { appendAudit, audited } from '../audit.sql.ts'
import { viewApplied, viewBalance, viewFile, viewLine, viewNotified, viewWaiting } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { Flag, Nothing, nextOf, oneOf, PageQuery, pageOf, parse, parseSerial, serialAfter, text } from '../parse.ts'

const FilesQuery = Type.Object(
  { ...PageQuery, setAside: Type.Optional(oneOf(['true', 'false'])) },
  { additionalProperties: false },
)
const Paged = Type.Object(PageQuery, { additionalProperties: false })
const AppliedQuery = Type.Object({ ...PageQuery, of: text(1, 100) }, { additionalProperties: false })
const Assign = Type.Object(
  {
    integration: Type.Optional(text(1, 100)),
    /** With `integration`: it pays the fees that it was charged, not its mints. */
    fees: Type.Optional(Flag),
    payout: Type.Optional(text(1, 100)),
    /** A debit paid this payout once more than it was to be; a credit gives that back. */
    claim: Type.Optional(text(1, 100)),
    /** With `payout` or `claim`: ringgit that the bank took beside it, or kept of it; the issuer's own cost. */
    charges: Type.Optional(text(1, 20)),
    /** With these: ringgit that came back on top of it, such as interest; the issuer's own. */
    surplus: Type.Optional(text(1, 20)),
    /** The number of the credit that this debit reverses, or a part of which. */
    reverses: Type.Optional(text(1, 18)),
    ownFunds: Type.Optional(Flag),
    reason: text(1, 500),
  },
  { additionalProperties: false },
)

export function bankRoutes(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.get('/bank/statements', async ({ query }) => {
    const page = pageOf(parse(Paged, query))
    const after = serialAfter(page)
    const [accounts, waiting, stop, left, notified] = await Promise.all([
      readBankBalances(db),
      listWaiting(db, { after, limit: page.limit }),
      readStop(db),
      listLeft(db),
      listNotified(db),
    ])
    const filesStopped = stop === undefined ? null : { reason: stop.reason, since: stop.since.toISOString() }
    const next = nextOf(waiting, page, ({ statementNo }) => String(statementNo))
    const filesWaiting = left.map(({ since, ...file }) => ({ ...file, since: since.toISOString() }))
    return {
      ok: true,
      accounts: accounts.map(viewBalance),
      waiting: waiting.map(viewWaiting),
      next,
      filesStopped,
      filesWaiting,
      notified: notified.map(viewNotified),
    }
  })

  app.get('/bank/files', async ({ query }) => {
    const { setAside, ...rest } = parse(FilesQuery, query)
    const page = pageOf(rest)
    const files = await listFiles(db, { onlySetAside: setAside === 'true', ...page })
    return { ok: true, files: files.map(viewFile), next: nextOf(files, page, ({ contentHash }) => contentHash) }
  })

  app.get('/bank/awaited', async ({ query }) => {
    parse(Nothing, query)
    return { ok: true, integrations: await readAwaited(db, new Date()) }
  })

  app.get('/bank/unallocated', async ({ query }) => {
    const page = pageOf(parse(Paged, query))
    const after = serialAfter(page)
    const lines = await listUnallocated(db, { after, limit: page.limit })
    // Names are shown: who looked at them is recorded.
    await appendAudit(db, { action: 'bank.unallocated.list', target: null, details: { shown: lines.length } })
    const said = await showDetails(
      db,
      secrets,
      lines.map(({ bankId }) => bankId),
    )
    const shown = lines.map((line) => viewLine(line, said.get(line.bankId ?? '')))
    return { ok: true, lines: shown, next: nextOf(lines, page, ({ lineNo }) => String(lineNo)) }
  })
  appliedRoute(app, { db })
  assignRoute(app, { db, secrets })
}

function appliedRoute(app: FastifyInstance, { db }: Pick<OperatorDeps, 'db'>): void {
  app.get('/bank/statements/applied', async ({ query }) => {
    const { of, ...rest } = parse(AppliedQuery, query)
    const page = pageOf(rest)
    const before = serialAfter(page)
    const statements = await listApplied(db, of, { before, limit: page.limit })
    if (statements.length === 0 && !(await hasStatement(db, of))) {
      const sentence = `No bank account with a statement is called ${of}: see "coin bank statements".`
      throw new OperatorError('NOT_FOUND', sentence)
    }
    const next = nextOf(statements, page, ({ statementNo }) => String(statementNo))
    return { ok: true, statements: statements.map(viewApplied), next }
  })
}

function assignRoute(app: FastifyInstance, { db, secrets }: Pick<OperatorDeps, 'db' | 'secrets'>): void {
  app.post<{ Params: { lineId: string } }>('/bank/unallocated/:lineId/assign', async ({ params, body }) => {
    const lineNo = parseSerial('line', params.lineId)
    const { reason, ...wanted } = parse(Assign, body)
    const explanation = await explanationOf(db, wanted)
    const { belongsTo, amountMicro, place } = await audited(
      db,
      async (tx) => {
        const why = { reason, now: new Date() }
        const assigned =
          explanation.kind === 'reversal'
            ? await reverseCredit({ tx, secrets }, lineNo, { credit: explanation.credit, ...why })
            : await assignLine({ tx, secrets }, lineNo, { explanation, ...why })
        if (assigned.result === 'assigned') return assigned
        throw new OperatorError(
          'CONFLICT',
          assigned.result === 'contradiction'
            ? assigned.sentence
            : `No unallocated line has the number ${lineNo}: see "coin bank unallocated list".`,
        )
      },
      ({ belongsTo: { kind, to }, amountMicro: amount, place: where, mints }) => ({
        action: 'bank.unallocated.assign',
        target: String(lineNo),
        details: {
          kind,
          to,
          reason,
          amountMyr: formatAmount(amount),
          place: where,
          ...(wanted.charges === undefined ? {} : { chargesMyr: wanted.charges }),
          ...(wanted.surplus === undefined ? {} : { surplusMyr: wanted.surplus }),
          ...(mints === undefined ? {} : { reverses: wanted.reverses, orders: mints.map(String) }),
        },
      }),
    )
    const line = { lineId: String(lineNo), place, amountMyr: formatAmount(amountMicro) }
    return { ok: true, ...line, assignedTo: belongsTo.to, as: belongsTo.kind }
  })
}

async function explanationOf(
  db: OperatorDeps['db'],
  {
    integration,
    fees = false,
    payout,
    claim,
    charges,
    surplus,
    reverses,
    ownFunds = false,
  }: Omit<Static<typeof Assign>, 'reason'>,
): Promise<Explanation | { kind: 'reversal'; credit: bigint }> {
  const given = [integration, payout, claim, reverses].filter((each) => each !== undefined)
  const count = given.length + (ownFunds ? 1 : 0)
  const areFeesOfNobody = fees && integration === undefined
  const isRestOfNothing = (charges ?? surplus) !== undefined && (payout ?? claim) === undefined
  const areBothGiven = charges !== undefined && surplus !== undefined
  if (count !== 1 || areFeesOfNobody || isRestOfNothing || areBothGiven) {
    throw new OperatorError(
      'BAD_REQUEST',
      'Give exactly one of these: "integration" (perhaps with "fees"), "payout" or "claim" (perhaps with "charges" or "surplus"), "reverses", "ownFunds" (--own-funds).',
    )
  }
  if (reverses !== undefined) return { kind: 'reversal', credit: parseSerial('reverses', reverses) }
  if (integration !== undefined) {
    found(await findIntegration(db, integration), 'integration', integration, 'integration list')
    return { kind: fees ? 'fees' : 'mints', integrationId: integration }
  }
  const named = payout ?? claim
  if (named === undefined) return { kind: 'own_funds' }
  const [chargesSen, surplusSen] = [senOf('charges', charges), senOf('surplus', surplus)]
  const payment = found(await findPaymentOf(db, named), 'payout', named, 'payout list')
  return { kind: payout === undefined ? 'claim' : 'payout', ...payment, chargesSen, surplusSen }
}
