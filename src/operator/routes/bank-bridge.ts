/** POST /bank/statements/:statementNo/bridge: what the bank has corrected in a statement that was applied is booked, and the one that waits follows. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { formatAmount, parseSen, SEN_IN_MICRO } from '../../money.ts'
import { bridgeStatement } from '../../statements/bridge.ts'
import { audited } from '../audit.sql.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parse, parseSerial, text } from '../parse.ts'

const Body = Type.Object(
  {
    /** Ringgit that the statement opens with beyond what the last one closed with, below zero when it is less, 0 when only a number is missing: whoever approves it sees it. */
    difference: text(1, 20),
    /** Of which lines it consists, with commas between them; without them it is one. */
    parts: Type.Optional(text(1, 2_000)),
    reason: text(1, 300),
  },
  { additionalProperties: false },
)

export function bankBridgeRoute(app: FastifyInstance, { db, secrets }: OperatorDeps): void {
  app.post<{ Params: { statementNo: string } }>('/bank/statements/:statementNo/bridge', async ({ params, body }) => {
    const statementNo = parseSerial('statementNo', params.statementNo)
    const { difference, parts, reason } = parse(Body, body)
    const differenceMicro = microOf('difference', difference)
    const partsMicro = partsOf(parts)
    const bridged = await audited(
      db,
      async (tx) => {
        const done = await bridgeStatement({ tx, secrets }, statementNo, differenceMicro, partsMicro)
        if (done.result === 'bridged') return done
        const none = `No statement with the number ${statementNo} waits: see "coin bank statements".`
        throw new OperatorError('CONFLICT', done.result === 'refused' ? done.sentence : none)
      },
      ({ bankAccount, statementId, differenceMicro: micro }) => ({
        action: 'bank.statements.bridge',
        target: String(statementNo),
        details: {
          reason,
          statement: `${bankAccount}/${statementId}`,
          amountMyr: formatAmount(micro),
          ...(parts === undefined ? {} : { parts }),
        },
      }),
    )
    const { bankAccount, statementId } = bridged
    return { ok: true, statementNo: String(statementNo), bankAccount, bridge: statementId, amountMyr: difference }
  })
}

const MOST_PARTS = 100

function partsOf(given: string | undefined): bigint[] {
  const parts = given === undefined ? [] : given.split(',').map((part) => microOf('parts', part.trim()))
  if (parts.length <= MOST_PARTS && !parts.includes(0n)) return parts
  throw new OperatorError(
    'BAD_REQUEST',
    `"parts" must be at most ${MOST_PARTS} amounts other than 0, such as -10,8.50.`,
  )
}

function microOf(name: string, given: string): bigint {
  const isLess = given.startsWith('-')
  const sen = parseSen(isLess ? given.slice(1) : given)
  if (sen !== undefined && (sen > 0n || !isLess)) return (isLess ? -sen : sen) * SEN_IN_MICRO
  throw new OperatorError(
    'BAD_REQUEST',
    `"${name}" must be ringgit with at most two decimals, such as 1.50 or -1.50; the difference is 0 where the bank has only left out a number.`,
  )
}
