/** POST /bank/withdraw-unopened: payment files that no key opens, and that somebody may have put there past the service, are set aside for good. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { withdrawUnopened } from '../../payment-files/withdraw-unopened.ts'
import { audited, endRehearsal } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { lockUnopenedHere } from '../in-folder.ts'
import { parse, text } from '../parse.ts'

const Body = Type.Object({ reason: text(1, 300) }, { additionalProperties: false })

export function withdrawUnopenedRoute(app: FastifyInstance, { db, secrets, paymentFiles }: OperatorDeps): void {
  const deps = { secrets, place: paymentFiles?.place }
  app.post('/bank/withdraw-unopened', async ({ body }) => {
    const { reason } = parse(Body, body)
    const files = await audited(
      db,
      async (tx) => {
        const unopened = await lockUnopenedHere(tx, { secrets, paymentFiles })
        if (unopened.length === 0) throw new OperatorError('CONFLICT', deps.place === undefined ? NONE_HERE : NONE)
        // The folder is no part of the transaction.
        await endRehearsal(tx)
        await withdrawUnopened(tx, deps, unopened, reason)
        return unopened.map(({ messageId, payments }) => ({ messageId, payments }))
      },
      (withdrawn) => ({
        action: 'bank.withdraw-unopened',
        target: withdrawn.at(-1)?.messageId ?? null,
        details: { reason, files: withdrawn.map(({ messageId }) => messageId) },
      }),
    )
    return { ok: true, files }
  })
}

const NONE = 'No payment file waits because no key opens it: there is nothing to withdraw.'
const NONE_HERE = `${NONE} One with payments is withdrawn where a BANK_PROFILE with "payments" is set: only there is seen that it did not go out.`
