/** A counter that `reconcile` names is set to what its orders come to. */
import type { Queryable } from '../../db/database.ts'
import { formatAmount } from '../../money.ts'
import { type Counter, lockCounter, setCounter } from '../../orders/life/recount.sql.ts'
import { OperatorError } from '../errors.ts'
import { type Counted, readCounter, readMonths } from './counters.sql.ts'

/** The kinds of differences that are about a counter. */
export const COUNTER_KINDS = ['earmark', 'mint_usage', 'transfer_usage', 'withdrawal_usage'] as const
export type CounterKind = (typeof COUNTER_KINDS)[number]

/** A counter as `reconcile` names it. */
export type Named = { kind: CounterKind; subject: string }

/** Also of rows that no order could have made: whoever writes past the service may name them as they like, and `reconcile` names them so. */
const SUBJECTS: Record<CounterKind, { form: RegExp; says: string }> = {
  earmark: { form: /^(?<chainId>\d{1,16}):(?<address>.*)$/s, says: 'CHAIN:WALLET' },
  mint_usage: { form: /^(?<owner>.*):(?<period>[^:]+)$/s, says: 'KEY:DAY' },
  transfer_usage: { form: /^(?<owner>.*):(?<period>[^:]+)$/s, says: 'KEY:DAY' },
  withdrawal_usage: { form: /^(?<owner>.*)$/s, says: 'the id of a customer' },
}

/** @throws OperatorError BAD_REQUEST for a subject that names none of its kind */
async function countersOf(db: Queryable, { kind, subject }: Named): Promise<Counter[]> {
  const { form, says } = SUBJECTS[kind]
  const { chainId = '', address = '', owner = '', period } = form.exec(subject)?.groups ?? {}
  if (!form.test(subject) || (period !== undefined && !isDay(period)))
    throw new OperatorError('BAD_REQUEST', `"subject" must be ${says} for ${kind}, as "coin reconcile" names it.`)
  if (kind === 'earmark') return [{ of: kind, chainId: Number(chainId), address }]
  if (kind === 'withdrawal_usage')
    return (await readMonths(db, owner)).map((month) => ({ of: 'REDEEM', owner, period: month }))
  return [{ of: kind === 'mint_usage' ? 'MINT' : 'TRANSFER', owner, period: period ?? '' }]
}

/** The last day that the database has. */
const LAST_YEAR = 5_874_897

/** Whether the database has such a day, as it writes them. The calendar is the same again after 400 years. */
function isDay(text: string): boolean {
  const [, year, rest] = /^(\d{4,7})(-\d\d-\d\d)$/.exec(text) ?? []
  if (year === undefined || Number(year) > LAST_YEAR) return text === 'infinity'
  const same = `${2_000 + (Number(year) % 400)}${rest}`
  return new Date(`${same}T00:00:00Z`).toJSON()?.startsWith(same) === true
}

/** What a counter's column holds. */
const MOST_MICRO = 2n ** 63n - 1n

/** What was counted and what the orders came to; of each month that differs, for a customer. */
export type Recounted = Counted & { period: string | null }

/**
 * What would be put right. It does not change while orders are accepted and end, which move a counter and its orders by the same.
 * @throws OperatorError BAD_REQUEST, as `countersOf`; CONFLICT where nothing differs
 */
export async function findWrong(db: Queryable, named: Named): Promise<Recounted[]> {
  const found: Recounted[] = []
  for (const counter of await countersOf(db, named)) found.push(await readAs(db, counter))
  return differing(named, found)
}

/**
 * Puts it right: each row is locked before its orders are read.
 * @throws OperatorError as `findWrong`
 */
export async function recount(tx: Queryable, named: Named): Promise<Recounted[]> {
  const found: Recounted[] = []
  for (const counter of await countersOf(tx, named)) {
    await lockCounter(tx, counter)
    const read = await readAs(tx, counter)
    if (read.ordersMicro > MOST_MICRO)
      throw new OperatorError(
        'CONFLICT',
        `The orders of ${named.subject} come to ${formatAmount(read.ordersMicro)}, more than a counter holds: somebody has written orders past the service. Run "coin order reject" for these first (see "coin order list --status pending").`,
      )
    if (read.recordedMicro !== read.ordersMicro) await setCounter(tx, counter, read.ordersMicro)
    found.push(read)
  }
  return differing(named, found)
}

async function readAs(db: Queryable, counter: Counter): Promise<Recounted> {
  return { ...(await readCounter(db, counter)), period: counter.of === 'earmark' ? null : counter.period }
}

function differing({ kind, subject }: Named, found: readonly Recounted[]): Recounted[] {
  const wrong = found.filter(({ recordedMicro, ordersMicro }) => recordedMicro !== ordersMicro)
  if (wrong.length > 0) return wrong
  const comesTo = found.map(({ ordersMicro }) => ordersMicro).find((micro) => micro !== 0n)
  const why =
    comesTo === undefined
      ? 'nothing is counted there, and no order counts there. Is that the name that "coin reconcile" gives it?'
      : `its orders come to ${formatAmount(comesTo)}, too.`
  throw new OperatorError('CONFLICT', `The ${kind} of ${subject} is right: ${why}`)
}

/** For people. */
export function sayRecounted(found: readonly Recounted[]): string {
  return found
    .map(({ recordedMicro, ordersMicro, period }) => {
      const of = period === null ? '' : `of ${period}: `
      return `${of}${formatAmount(recordedMicro)} is recorded, and ${formatAmount(ordersMicro)} is what its orders come to`
    })
    .join('; ')
}
