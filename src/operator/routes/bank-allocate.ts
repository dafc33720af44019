/** /bank/unallocated/:lineId/allocate: one line that is several payments, or several lines that are one. */
import type { FastifyInstance } from 'fastify'
import { type Static, Type } from 'typebox'
import { formatAmount, sayRinggit } from '../../money.ts'
import { type Allocated, type AllocatedPart, type Allocating, allocateLines } from '../../statements/allocate.ts'
import { findPaymentOf } from '../../statements/facts.sql.ts'
import type { Payment } from '../../statements/match.ts'
import { senOf } from '../amounts.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { namesIn, parse, parseSerial, text } from '../parse.ts'

/** So many payouts one debit is taken for, and of so many lines. */
const MOST_PAYOUTS = 200
const MOST_LINES = 50

const Body = Type.Object(
  {
    /** Further lines; with commas between them. */
    with: Type.Optional(text(1, 1_000)),
    /** What it paid or gave back; with commas between them. */
    payouts: Type.Optional(text(1, 7_000)),
    /** Payouts that it paid once more than it was to, or of which it gives that back; likewise. */
    claims: Type.Optional(text(1, 7_000)),
    /** Ringgit that the bank took beside them, or kept of them; the issuer's own cost. */
    charges: Type.Optional(text(1, 20)),
    /** Of a credit: ringgit that came back on top of them; the issuer's own. */
    surplus: Type.Optional(text(1, 20)),
    reason: text(1, 300),
  },
  { additionalProperties: false },
)

export function bankAllocateRoute(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.post<{ Params: { lineId: string } }>('/bank/unallocated/:lineId/allocate', async ({ params, body }) => {
    const first = parseSerial('line', params.lineId)
    const { reason, ...wanted } = parse(Body, body)
    const allocating = await allocatingOf(db, first, wanted)
    const { amountMicro, parts } = await audited(
      db,
      async (tx) => {
        const allocated = await allocateLines({ tx, secrets }, allocating, { reason, now: new Date() })
        if (allocated.result === 'allocated') return allocated
        throw new OperatorError('CONFLICT', whyNot(allocated))
      },
      ({ amountMicro: amount, parts: made }) => ({
        action: 'bank.unallocated.allocate',
        target: String(first),
        details: {
          reason,
          amountMyr: formatAmount(amount),
          lines: allocating.lineNos.map(String),
          made: made.map(({ lineNo, amountMicro: part, to }) => `${lineNo}: ${sayRinggit(part)} of ${to}`),
        },
      }),
    )
    const lines = allocating.lineNos.map(String)
    return { ok: true, lines, amountMyr: formatAmount(amountMicro), made: parts.map(viewPart) }
  })
}

function whyNot(refused: Exclude<Allocated, { result: 'allocated' }>): string {
  if (refused.result === 'contradiction') return refused.sentence
  return `No unallocated line has the number ${refused.lineNo}: see "coin bank unallocated list".`
}

function viewPart({ lineNo, amountMicro, to }: AllocatedPart) {
  return { lineId: String(lineNo), amountMyr: formatAmount(amountMicro), assignedTo: to }
}

async function allocatingOf(
  db: OperatorDeps['db'],
  first: bigint,
  { with: others, payouts, claims, charges, surplus }: Omit<Static<typeof Body>, 'reason'>,
): Promise<Allocating> {
  const lineNos = [...new Set([first, ...namesIn(others).map((name) => parseSerial('with', name))])]
  const [paid, claimed] = [namesIn(payouts), namesIn(claims)]
  const count = paid.length + claimed.length
  if (
    lineNos.length > MOST_LINES ||
    count > MOST_PAYOUTS ||
    count === 0 ||
    (charges !== undefined && surplus !== undefined)
  ) {
    const most = `Give "payouts" or "claims", at most ${MOST_PAYOUTS} in all, at most ${MOST_LINES} lines, and one of "charges" and "surplus".`
    throw new OperatorError('BAD_REQUEST', most)
  }
  const payments = await paymentsOf(db, paid)
  return {
    lineNos,
    payments,
    claims: await paymentsOf(db, claimed),
    chargesSen: senOf('charges', charges),
    surplusSen: senOf('surplus', surplus),
  }
}

async function paymentsOf(db: OperatorDeps['db'], payoutIds: readonly string[]): Promise<Payment[]> {
  const payments: Payment[] = []
  for (const named of payoutIds) payments.push(found(await findPaymentOf(db, named), 'payout', named, 'payout list'))
  return payments
}
