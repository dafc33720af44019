/** What a command that waits would act on, as it is now: whoever decides sees it beside what was asked for. */
import { showDetails } from '../../bank-details/bank-details.sql.ts'
import type { Queryable } from '../../db/database.ts'
import type { Approval } from '../../operators/approval.ts'
import { type BelongingLine, findLine } from '../../statements/lines-of.sql.ts'
import { viewLine } from '../bank-view.ts'
import type { OperatorDeps } from '../deps.ts'

const OF_LINE = /\/bank\/(?:unallocated|lines)\/(\d{1,18})\/(?:assign|take-back)$/

/** The line of a statement that a command is about, and what the command would do; undefined for commands about something else. */
export async function showConcern(
  db: Queryable,
  secrets: OperatorDeps['secrets'],
  { path }: Pick<Approval, 'path'>,
  body: unknown,
): Promise<Record<string, unknown> | undefined> {
  const lineNo = OF_LINE.exec(path)?.[1]
  const line = lineNo === undefined ? undefined : await findLine(db, BigInt(lineNo))
  if (line === undefined) return undefined
  const said = await showDetails(db, secrets, [line.bankId])
  const view = viewLine(line, said.get(line.bankId ?? ''))
  const { state, kind, to } = line
  const would = path.endsWith('/take-back') ? takingBack(line) : assigning(line, body as Record<string, unknown>)
  return { ...view, state, as: kind, belongsTo: to, would: `RM ${view.amountMyr} of ${view.bookedOn} ${would}` }
}

function takingBack({ kind, to }: BelongingLine): string {
  if (kind === null) return 'belong to nothing any more: nothing is taken back.'
  return `would no longer be ${MEANING[kind] ?? kind} of ${to}, but unallocated.`
}

/** By what a line belongs to. */
const MEANING: Readonly<Record<string, string>> = {
  ...{ mint: 'for mints', remitter: 'for mints', fees: 'for fees', own_funds: 'own funds' },
  ...{ payout: 'the payment', extra_payout: 'a payment once too often' },
}

function assigning({ state, amountMicro, to }: BelongingLine, body: Record<string, unknown>): string {
  if (state !== 'unallocated') return `belong to ${to ?? 'nothing yet'}: nothing is assigned.`
  const { integration, payout, charges, surplus } = body
  if (typeof integration === 'string') {
    return `would be ${body.fees === true ? 'for fees' : 'for mints'} of ${integration}.`
  }
  if (typeof payout !== 'string') return "would be the issuer's own funds."
  const kept = typeof charges === 'string' ? `, RM ${charges} of it charges that are the issuer's own cost` : ''
  const more = typeof surplus === 'string' ? `, RM ${surplus} of it on top and the issuer's own` : ''
  return `would ${amountMicro < 0n ? 'be what paid' : 'give back'} ${payout}${kept}${more}.`
}
