/** GET /reserves: each part of what the reserve guard decides on, as it is now. */
import type { FastifyInstance } from 'fastify'
import { formatAmount } from '../../money.ts'
import { readReserveFacts } from '../../reserves/facts.sql.ts'
import { availableOf, committedOf, type ReserveFacts, roomOf } from '../../reserves/guard.ts'
import type { OperatorDeps } from '../deps.ts'

export function reservesRoutes(app: FastifyInstance, { db, config }: OperatorDeps): void {
  app.get('/reserves', async () => ({ ok: true, ...viewReserves(await readReserveFacts(db), config.reserve) }))
}

function viewReserves(facts: ReserveFacts, policy: OperatorDeps['config']['reserve']) {
  const { roomMicro, blind } = roomOf(facts, policy)
  return {
    guard: policy.guard,
    available: formatAmount(availableOf(facts)),
    committed: formatAmount(committedOf(facts)),
    room: formatAmount(roomMicro),
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
    payoutClearing: formatAmount(facts.clearingMicro),
  }
}
