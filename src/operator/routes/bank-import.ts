/** POST /bank/import: a bank file from an operator's hand. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { contentHashOf } from '../../bank-files/definitions.ts'
import { INCOMING_BOUNDS, type Taken } from '../../bank-files/folder/incoming.ts'
import type { FileRefusal } from '../../bank-files/refusal.ts'
import { FileWaitsError } from '../../bank-files/refusal.ts'
import type { Queryable } from '../../db/database.ts'
import { wasTaken } from '../../statements/lists.sql.ts'
import { listWithdrawnOf } from '../../statements/withdraw.sql.ts'
import { appendAudit, endRehearsal } from '../audit.sql.ts'
import { sayWithdrawn } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'

/** A file grows by a third in base64. */
const BODY_LIMIT_BYTES = Math.ceil((INCOMING_BOUNDS.maxBytes * 4) / 3) + 10_000
/** Each is some seventy megabytes while it is read, in the process in which everybody's commands run. */
export const MOST_AT_ONCE = 4
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

const Body = Type.Object(
  {
    name: text(1, 200),
    content: Type.String({ description: 'the file in base64' }),
    /** Why entries count as the bank booked them, although their transactions do not make their amounts, or two say the same; without it they do not. */
    asBooked: Type.Optional(text(1, 500)),
  },
  { additionalProperties: false },
)

export function bankImportRoute(app: FastifyInstance, { bank, db }: OperatorDeps): void {
  app.post('/bank/import', { bodyLimit: BODY_LIMIT_BYTES, onRequest: fewAtOnce() }, async ({ body }) => {
    const { name, content, asBooked } = parse(Body, body)
    if (content === '') throw new OperatorError('BAD_REQUEST', 'The file is empty: fetch it from the bank again.')
    if (!BASE64.test(content)) throw new OperatorError('BAD_REQUEST', '"content" must be the file in base64.')
    if (bank === undefined) {
      throw new OperatorError('CONFLICT', 'No bank account is configured here: set BANK_PROFILE and start again.')
    }
    const bytes = new Uint8Array(Buffer.from(content, 'base64'))
    const contentHash = contentHashOf(bytes)
    await refuseIdle(
      async () => !(await wasTaken(db, contentHash)),
      `This file was taken in before: nothing of it is taken again.${await sayWithdrawnOf(db, contentHash)}`,
    )
    // A large file takes long to apply, and whoever approves it is shown what it says.
    await endRehearsal(db)
    const details = { name, ...(asBooked === undefined ? {} : { asBooked }) }
    const file = {
      name,
      bytes,
      isByHand: true,
      asBooked: asBooked !== undefined,
      also: (tx: Queryable, leftOut: readonly string[]) =>
        appendAudit(tx, {
          action: 'bank.import',
          target: contentHash,
          details: leftOut.length === 0 ? details : { ...details, leftOut: sayLeftOut(leftOut) },
        }),
    }
    const { taken, matched, unallocated, unbooked } = await bank(file).catch(tryAgain)
    return {
      ok: true,
      accepted: taken.result === 'applied' ? 1 : 0,
      repeated: taken.result === 'repeated' ? 1 : 0,
      setAside: taken.result === 'refused' ? 1 : 0,
      matched,
      unallocated,
      /** Lines of a statement that waits for the one before it. */
      waiting: unbooked,
      reason: await reasonOf(db, taken, contentHash),
    }
  })
}

/** Why nothing of it counts, as it was set aside, or was taken in before and withdrawn since; or why some of its statements do not. */
async function reasonOf(db: Queryable, taken: Taken, contentHash: string): Promise<FileRefusal | Withdrawn | null> {
  if (taken.result === 'refused') return taken.refusal
  if (taken.result === 'applied')
    return taken.leftOut === undefined ? null : { code: 'repeated', sentence: sayLeftOut(taken.leftOut) }
  const sentence = (await sayWithdrawnOf(db, contentHash)).trimStart()
  return sentence === '' ? null : { code: 'withdrawn', sentence }
}

/** A file may have hundreds of statements. */
const MOST_SAID = 5

function sayLeftOut(leftOut: readonly string[]): string {
  const more = leftOut.length > MOST_SAID ? `; and ${leftOut.length - MOST_SAID} more` : ''
  return `Left out: ${leftOut.slice(0, MOST_SAID).join('; ')}${more}`
}

type Withdrawn = { code: 'withdrawn'; sentence: string }

/** Empty where none of its statements was withdrawn. */
async function sayWithdrawnOf(db: Queryable, contentHash: string): Promise<string> {
  const withdrawn = await listWithdrawnOf(db, contentHash)
  const said = withdrawn.map(
    ({ bankAccount, statementId, withdrawnFor }) => `${bankAccount}/${statementId} (${withdrawnFor})`,
  )
  if (said.length === 0) return ''
  return ` ${sayWithdrawn(said.join(', '))}`
}

function tryAgain(error: unknown): never {
  if (!(error instanceof FileWaitsError)) throw error
  throw new OperatorError('CONFLICT', `${error.message} Then import it again.`)
}

/** Refuses, before a byte of its body is kept, what comes while as many are being read as there may be. */
function fewAtOnce() {
  let underWay = 0
  return async (_request: FastifyRequest, { raw }: FastifyReply) => {
    // Whoever has gone meanwhile goes only once.
    if (raw.destroyed) return
    if (underWay >= MOST_AT_ONCE) {
      throw new OperatorError(
        'TOO_MANY_REQUESTS',
        `${MOST_AT_ONCE} bank files are being taken in: import this one once they are.`,
      )
    }
    underWay += 1
    raw.once('close', () => {
      underWay -= 1
    })
  }
}
