/** POST /bank/statements/:statementNo/withdraw: a statement that waits, and that no statement will ever follow, is set aside for good. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { type FoundStatement, withdrawStatement } from '../../statements/withdraw.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { found, OperatorError } from '../errors.ts'
import { parse, parseSerial, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

const Body = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })

export function bankWithdrawRoute(app: FastifyInstance, { db }: OperatorDeps): void {
  app.post<{ Params: { statementNo: string } }>('/bank/statements/:statementNo/withdraw', async ({ params, body }) => {
    const statementNo = parseSerial('statementNo', params.statementNo)
    const { reason } = parse(Body, body)
    const before = await audited(
      db,
      async (tx) => {
        const statement = found(
          await withdrawStatement(tx, statementNo, reason),
          'statement',
          String(statementNo),
          'bank statements',
        )
        if (statement.state === 'applied') throw new OperatorError('CONFLICT', isApplied(statement))
        await refuseIdle(() => statement.state === 'waiting', isWithdrawn(statement))
        return statement
      },
      ({ bankAccount, statementId, state }) => ({
        action: 'bank.statements.withdraw',
        target: String(statementNo),
        details: { reason, statement: `${bankAccount}/${statementId}`, before: state },
      }),
    )
    const { bankAccount, statementId, withdrawnAt, withdrawnFor } = before
    return {
      ok: true,
      statementNo: String(statementNo),
      bankAccount,
      statementId,
      state: 'withdrawn',
      /** Of the first time, when it was withdrawn before. */
      reason: withdrawnFor ?? reason,
      withdrawnBefore: withdrawnAt?.toISOString() ?? null,
    }
  })
}

function isWithdrawn({ bankAccount, statementId, withdrawnAt, withdrawnFor }: FoundStatement): string {
  return `${bankAccount}/${statementId} was withdrawn at ${withdrawnAt?.toISOString()} (${withdrawnFor}): there is nothing to withdraw.`
}

function isApplied({ bankAccount, statementId, closedOn }: FoundStatement): string {
  return `${bankAccount}/${statementId} (closed on ${closedOn}) was applied, and its lines are booked: only a statement that waits can be withdrawn.`
}
