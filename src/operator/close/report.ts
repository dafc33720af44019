/** The report of a day: what each integration did on each chain, and how old is what is not paid. */
import type { Queryable } from '../../db/database.ts'
import { type AgedAccount, readAges } from '../../ledger/ageing.sql.ts'
import { type DayFlow, readDayFlows } from '../../ledger/flows.sql.ts'
import { readClosing, readPeriods } from '../../ledger/periods.sql.ts'
import { formatAmount, SEN_IN_MICRO } from '../../money.ts'
import { readUnpaid } from '../../payouts/ages.sql.ts'
import { noteOnClosing } from './note.ts'

export const AGE_NAMES = ['upTo1Day', 'upTo7Days', 'upTo30Days', 'upTo90Days', 'older'] as const

/** Amounts are decimal strings in ringgit or coin. */
export type CloseReport = {
  day: string
  timezone: string
  /** Of an open day everything may still change. A closed day's report never does. */
  closed: boolean
  /** What is to be known before the day is closed; null of a closed one, and of today. */
  note: string | null
  flows: ({ chainId: number } & Record<Exclude<FlowColumn, 'chainId'>, string>)[]
  /** What is open on the books at the end of the day; what came first counts as settled first. */
  open: ({ account: string; owner: string; total: string } & Record<(typeof AGE_NAMES)[number], string>)[]
  /** Payouts that are not paid: when the day was closed, which may be long after it, or, of an open day, now. */
  unpaidPayouts: UnpaidView[]
  /** When that was. */
  unpaidAsOf: string
}

export const FLOW_COLUMNS = [
  'integrationId',
  'chainId',
  'opening',
  'minted',
  'refunded',
  'redeemed',
  'transferred',
  'fees',
  'closing',
] as const
type FlowColumn = (typeof FLOW_COLUMNS)[number]

export type UnpaidView = {
  integrationId: string
  status: string
  age: string
  payouts: number
  amount: string
  oldest: string
}

/** Reads the report of a day, as of one moment each. Costs the same however old the books are. @param awaited see `noteOnClosing` */
export async function readCloseReport(
  db: Queryable,
  day: string,
  awaited: readonly string[] = [],
): Promise<CloseReport> {
  const { timezone, now, today } = await readPeriods(db)
  const closing = await readClosing(db, day)
  const [flows, ages, unpaid, note] = await Promise.all([
    readDayFlows(db, day),
    readAges(db, day),
    closing === undefined ? viewUnpaid(db) : (closing.unpaid as UnpaidView[]),
    closing === undefined && day < today ? noteOnClosing(db, day, awaited) : null,
  ])
  return {
    day,
    timezone,
    closed: closing !== undefined,
    note,
    flows: flows.map(viewFlow),
    open: ages.map(viewAges),
    unpaidPayouts: unpaid,
    unpaidAsOf: (closing?.closedAt ?? now).toISOString(),
  }
}

/** The payouts that are not paid now, as a closing keeps them. */
export async function viewUnpaid(db: Queryable): Promise<UnpaidView[]> {
  return (await readUnpaid(db)).map(({ amountSen, oldest, ...rest }) => ({
    ...rest,
    amount: formatAmount(amountSen * SEN_IN_MICRO),
    oldest: oldest.toISOString(),
  }))
}

function viewFlow(flow: DayFlow): CloseReport['flows'][number] {
  return {
    integrationId: flow.integrationId,
    chainId: flow.chainId,
    opening: formatAmount(flow.openingMicro),
    minted: formatAmount(flow.mintedMicro),
    refunded: formatAmount(flow.refundedMicro),
    redeemed: formatAmount(flow.redeemedMicro),
    transferred: formatAmount(flow.transferredMicro),
    fees: formatAmount(flow.feesMicro),
    closing: formatAmount(flow.closingMicro),
  }
}

function viewAges({ kind, owner, totalMicro, partsMicro }: AgedAccount): CloseReport['open'][number] {
  const part = (index: number) => formatAmount(partsMicro[index] ?? 0n)
  return {
    account: kind,
    owner,
    total: formatAmount(totalMicro),
    upTo1Day: part(0),
    upTo7Days: part(1),
    upTo30Days: part(2),
    upTo90Days: part(3),
    older: part(4),
  }
}
