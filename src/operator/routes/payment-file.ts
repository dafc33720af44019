/** /bank/export and /bank/read-back: payment files, in the folder that the bank's transport shares with this process. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { readStop } from '../../payment-files/files.sql.ts'
import { appendAudit, audited, useApprovalOf } from '../audit.sql.ts'
import type { OperatorDeps, PaymentFiles } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { inFolder } from '../in-folder.ts'
import { Nothing, parse, text } from '../parse.ts'
import { refuseIdle } from '../refuse-idle.ts'
import { withdrawUnopenedRoute } from './payment-file-unopened.ts'

/** Each payment may have its own. */
const MOST_REASONS = 100

const ReadBack = Type.Object({ reason: text(1, 500) }, { additionalProperties: false })

export function paymentFileRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  withdrawUnopenedRoute(app, deps)
  const { db, paymentFiles } = deps
  app.post('/bank/export', async ({ body }) => {
    parse(Nothing, body)
    const { files, withdrawn, stopped, waits } = await inFolder(configured(paymentFiles).write())
    if (stopped !== null) throw new OperatorError('CONFLICT', `${stopped} Run "coin bank read-back --reason …" first.`)
    await audited(
      db,
      async () => files,
      () => ({
        action: 'bank.export',
        target: files.at(-1) ?? null,
        details: { files, withdrawn: withdrawn.map(({ messageId }) => messageId) },
      }),
    )
    return { ok: true, files, withdrawn, ...(waits && { waits: waits.slice(0, MOST_REASONS) }) }
  })

  app.post('/bank/read-back', async ({ body }) => {
    const { reason } = parse(ReadBack, body)
    const filing = configured(paymentFiles)
    const isWanted = async (tx: Queryable) => {
      const unknown = await filing.findUnknown(tx)
      return unknown.files.length + unknown.problems.length > 0 || (await readStop(tx)) !== undefined
    }
    const { files, problems } = await inFolder(
      filing.readBack(
        async (tx, result) => {
          const names = result.files.map(({ messageId }) => messageId)
          await appendAudit(tx, {
            action: 'bank.read-back',
            target: names.at(-1) ?? null,
            details: { reason, files: names },
          })
        },
        async (tx) => {
          await refuseIdle(() => isWanted(tx), NOTHING_UNKNOWN)
          // What was approved is compared with what lies there before any of it is known.
          await useApprovalOf(tx)
        },
      ),
    )
    if (problems.length > 0) throw new OperatorError('CONFLICT', `Nothing was read back: ${problems.join(' ')}`)
    return { ok: true, files }
  })
}

const NOTHING_UNKNOWN =
  'The database knows every payment file in the folder, and files are written: there is nothing to read back.'

function configured(paymentFiles: PaymentFiles | undefined): PaymentFiles {
  if (paymentFiles !== undefined) return paymentFiles
  throw new OperatorError(
    'CONFLICT',
    'No payment files are written here: set a BANK_PROFILE with "payments", and start again.',
  )
}
