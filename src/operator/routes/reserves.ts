/** GET /reserves: each part of what the reserve guard decides on, as it is now or was at an instant; and the proof that was signed last on a day. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { readBalances } from '../../ledger/balances.sql.ts'
import { formatAmount } from '../../money.ts'
import { type Because, becauseOf } from '../../reserves/because.ts'
import { type ReadFacts, readReserveFacts } from '../../reserves/facts.sql.ts'
import { availableOf, committedOf, roomOf } from '../../reserves/guard.ts'
import { readReserveFactsAsOf } from '../../reserves/past.sql.ts'
import { readProofOfDay } from '../../reserves/proofs.sql.ts'
import { readAsOf } from '../as-of.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parseDay } from '../instants.ts'
import { parse, text } from '../parse.ts'

const Query = Type.Object({ asOf: Type.Optional(text(1, 40)) }, { additionalProperties: false })

const ProofQuery = Type.Object({ day: text(1, 20) }, { additionalProperties: false })

export function reservesRoutes(app: FastifyInstance, { db, config }: OperatorDeps): void {
  app.get('/reserves', async ({ query }) => {
    const instant = await readAsOf(db, parse(Query, query).asOf)
    const { facts, balances } = await db.transaction(async (tx) => {
      // What the books say and what is made of it, as of one moment.
      await tx.query('set transaction isolation level repeatable read, read only')
      const read = instant === undefined ? await readReserveFacts(tx) : await readReserveFactsAsOf(tx, instant)
      return { facts: read, balances: await readBalances(tx, instant) }
    })
    const because = viewBecause(becauseOf(facts, balances))
    return { ok: true, asOf: instant?.toISOString() ?? null, ...viewReserves(facts, config.reserve), because }
  })

  app.get('/reserves/proof', async ({ query }) => {
    const day = parseDay('day', parse(ProofQuery, query).day)
    const found = await readProofOfDay(db, day)
    if ('proof' in found) return { ok: true, ...found.proof }
    const before = found.newestBefore === undefined ? '' : ` The last one before it is of ${found.newestBefore}.`
    throw new OperatorError('NOT_FOUND', `No proof of reserves is kept of ${day}.${before}`)
  })
}

function viewReserves(facts: ReadFacts, policy: OperatorDeps['config']['reserve']) {
  const { roomMicro, blind } = roomOf(facts, policy)
  return {
    guard: policy.guard,
    available: formatAmount(availableOf(facts)),
    committed: formatAmount(committedOf(facts)),
    room: formatAmount(roomMicro),
    difference: formatAmount(availableOf(facts) - committedOf(facts)),
    unknown: blind ?? null,
    accounts: facts.accounts.map((each) => ({
      account: each.bankAccount,
      closing: formatAmount(each.closingMicro),
      booked: formatAmount(each.bookedMicro),
      creditsSince: formatAmount(each.creditsSinceMicro),
      ageHours: Math.floor(each.ageMs / 3_600_000),
    })),
    coins: formatAmount(facts.coinsMicro),
    mintsSigned: formatAmount(facts.signedMicro),
    redeemPayable: formatAmount(facts.payableMicro),
    residual: formatAmount(facts.residualMicro),
    // These four are not in what is available.
    payoutClearing: formatAmount(facts.clearing.payoutsMicro),
    extraPayments: formatAmount(facts.clearing.extraMicro),
    saidPaid: formatAmount(facts.clearing.saidPaidMicro),
    perhapsTwice: formatAmount(facts.clearing.doubledMicro),
  }
}

function viewBecause(because: Because) {
  const entries = Object.entries(because).map(([part, micro]) => [part.replace(/Micro$/, ''), formatAmount(micro)])
  return Object.fromEntries(entries) as Record<string, string>
}
