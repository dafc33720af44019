/** /ledger: the books in double entry. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import { ACCOUNT_KINDS, type Account, type AccountKind, isAccountKind, readAccount } from '../../ledger/accounts.ts'
import { type Balance, readBalances } from '../../ledger/balances.sql.ts'
import { listEntries, type RecordedEntry } from '../../ledger/entries.sql.ts'
import { listEntriesNamed, listEntriesOfDays } from '../../ledger/entries-of.sql.ts'
import { closeDays, readPeriods } from '../../ledger/periods.sql.ts'
import { verifyLedger } from '../../ledger/verify.ts'
import { formatAmount } from '../../money.ts'
import { readAsOf } from '../as-of.ts'
import { audited } from '../audit.sql.ts'
import { noteOnClosing } from '../close/note.ts'
import { viewUnpaid } from '../close/report.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { parseHead, VerifyQuery, viewVerification } from '../head.ts'
import { parseDay } from '../instants.ts'
import { oneLook } from '../one-look.ts'
import { nextOf, PageQuery, pageOf, parse, serialAfter, text } from '../parse.ts'

const BalancesQuery = Type.Object({ asOf: Type.Optional(text(1, 40)) }, { additionalProperties: false })
const EntriesQuery = Type.Object(
  {
    ...PageQuery,
    account: Type.Optional(text(1, 200)),
    from: Type.Optional(text(1, 20)),
    through: Type.Optional(text(1, 20)),
    reference: Type.Optional(text(1, 300)),
  },
  { additionalProperties: false },
)
const CloseBody = Type.Object({ through: text(1, 20) }, { additionalProperties: false })

export function ledgerRoutes(app: FastifyInstance, deps: OperatorDeps): void {
  const { db } = deps
  app.get('/ledger/balances', async ({ query }) => {
    const asOf = await readAsOf(db, parse(BalancesQuery, query).asOf)
    const balances = await readBalances(db, asOf)
    return { ok: true, asOf: asOf?.toISOString() ?? null, accounts: balances.map(viewBalance) }
  })

  app.get('/ledger/entries', async ({ query }) => {
    const { account, from, through, reference, ...rest } = parse(EntriesQuery, query)
    const page = pageOf(rest)
    const entries = await entriesOf(
      db,
      { account, from, through, reference },
      { after: serialAfter(page), limit: page.limit },
    )
    return { ok: true, entries: entries.map(viewEntry), next: nextOf(entries, page, ({ entryId }) => String(entryId)) }
  })

  app.get('/ledger/verify', async (request) => {
    const known = parseHead(parse(VerifyQuery, request.query).head)
    return viewVerification(await oneLook(deps, request, () => verifyLedger(db, known)))
  })
  closeRoute(app, deps)
}

type Chosen = Record<'account' | 'from' | 'through' | 'reference', string | undefined>

/** @throws OperatorError BAD_REQUEST */
async function entriesOf(
  db: Queryable,
  { account: name, from, through, reference }: Chosen,
  page: { after: bigint | undefined; limit: number },
): Promise<RecordedEntry[]> {
  const account = name === undefined ? undefined : parseAccount(name)
  const days = {
    from: from === undefined ? undefined : parseDay('from', from),
    through: through === undefined ? undefined : parseDay('through', through),
  }
  const isOfDays = from !== undefined || through !== undefined
  if (reference !== undefined && (account !== undefined || isOfDays))
    throw new OperatorError('BAD_REQUEST', 'A "reference" names entries whatever their account and day: give it alone.')
  if (reference === undefined && !isOfDays) return await listEntries(db, { account, ...page })
  if (from !== undefined && through !== undefined && from > through)
    throw new OperatorError('BAD_REQUEST', `"from" must not be after "through", which is ${through}.`)
  const entries =
    reference === undefined
      ? await listEntriesOfDays(db, days, { account, ...page })
      : await listEntriesNamed(db, reference, page)
  if (entries !== undefined) return entries
  throw new OperatorError('BAD_REQUEST', `There is no entry ${page.after} to go on after.`)
}

function closeRoute(app: FastifyInstance, { db, bankAccounts }: OperatorDeps): void {
  app.post('/ledger/close', async ({ body }) => {
    const through = parseDay('through', parse(CloseBody, body).through)
    const { closedThrough, note } = await audited(
      db,
      async (tx) => {
        const before = await readPeriods(tx)
        if (through >= before.today) {
          throw new OperatorError(
            'CONFLICT',
            `${through} is not over in the books' time zone: it is ${before.today} there.`,
          )
        }
        const isClosed = before.closedThrough !== null && before.closedThrough >= through
        const note = isClosed ? null : await noteOnClosing(tx, through, bankAccounts)
        await closeDays(tx, through, viewUnpaid)
        return { before: before.closedThrough, closedThrough: (await readPeriods(tx)).closedThrough, note }
      },
      // The day that was asked for, which may have been closed before: `before` says so.
      ({ before, note }) => ({
        action: 'ledger.close',
        target: through,
        details: { before, ...(note !== null && { note }) },
      }),
    )
    return { ok: true, closedThrough, ...(note !== null && { note }) }
  })
}

function parseAccount(name: string): Account | AccountKind {
  if (isAccountKind(name)) return name
  const account = readAccount(name)
  if (account !== undefined) return `${account.kind}:${account.owner}`
  const kinds = Object.keys(ACCOUNT_KINDS).join(', ')
  throw new OperatorError(
    'BAD_REQUEST',
    `"account" must be a kind, such as coins, or a kind and its owner, such as coins:1. Kinds: ${kinds}.`,
  )
}

function viewBalance({ kind, owner, balanceMicro }: Balance) {
  const { owner: ownedBy } = ACCOUNT_KINDS[kind]
  return {
    account: kind,
    integrationId: ownedBy === 'integration' ? owner : null,
    chainId: ownedBy === 'chain' ? Number(owner) : null,
    owner,
    balance: formatAmount(balanceMicro),
  }
}

function viewEntry({ entryId, reference, effectiveAt, recordedAt, day, position, lines }: RecordedEntry) {
  return {
    entryId: String(entryId),
    reference,
    effectiveAt: effectiveAt.toISOString(),
    recordedAt: recordedAt.toISOString(),
    day,
    position: position === null ? null : String(position),
    lines: lines.map(({ account, amountMicro }) => ({ account, amount: formatAmount(amountMicro) })),
  }
}
