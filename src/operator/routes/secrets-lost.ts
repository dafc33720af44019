/** POST /secrets/lost: a key that sealed who paid and was paid in statements is not to be had any more. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { insertLostKey } from '../../statements/lost-keys.sql.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { findLost } from '../lost-key.ts'
import { parse, text } from '../parse.ts'

const Body = Type.Object({ secretsKey: text(1, 100), reason: text(1, 500) }, { additionalProperties: false })

export function secretsLostRoute(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.post('/secrets/lost', async ({ body }) => {
    const { secretsKey: keyId, reason } = parse(Body, body)
    const sealed = await audited(
      db,
      async (tx) => {
        const lost = await findLost(tx, secrets, keyId)
        if (await insertLostKey(tx, { keyId, through: lost.through, reason })) return lost
        throw new OperatorError(
          'CONFLICT',
          `It was said before that ${keyId} is lost: see "coin audit list --target ${keyId}".`,
        )
      },
      (lost) => ({
        action: 'secrets.lost',
        target: keyId,
        details: {
          reason,
          ends: 'statement_unopened of these statements; their unbooked lines are booked without what is sealed',
          stays: 'what it has sealed stays closed; amounts and balances are compared as before',
          statements: String(lost.statements),
          from: lost.from,
          until: lost.until,
          unbooked: String(lost.unbooked),
        },
      }),
    )
    const { statements, lines, unbooked, from, until } = sealed
    const counts = { statements: String(statements), lines: String(lines), unbooked: String(unbooked) }
    return { ok: true, key: keyId, ...counts, from, until }
  })
}
