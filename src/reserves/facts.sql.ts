/** What the reserve guard and the proof of reserves are decided on. */
import type { Queryable } from '../db/database.ts'
import { type Balance, readBalances } from '../ledger/balances.sql.ts'
import { readBankBalances, readClosedAges } from '../statements/balances.sql.ts'
import { readMaybeDoubled } from '../statements/transfers.sql.ts'
import { HOUSE } from '../values/house.ts'
import { madeByOthers, ofLostOrders, unexplained } from './beside-books.sql.ts'
import type { ReserveAccount, ReserveFacts } from './guard.ts'

/** What `clearingMicro` comes to, by why it does not count: each part stands elsewhere under its own name. */
export type Clearing = {
  /** `payout_clearing` of the books. */
  payoutsMicro: bigint
  /** Payments too many that a rail has. */
  extraMicro: bigint
  /** What rails say that they paid, and no statement shows. */
  saidPaidMicro: bigint
  /** What may stand on two accounts of the issuer. */
  doubledMicro: bigint
}

/** The facts, with the parts of what does not count. */
export type ReadFacts = ReserveFacts & { clearing: Clearing }

/** The advisory lock under which mints are granted: whoever grants sees all that was granted before, on any chain. */
const GRANT_LOCK = 7_261_021

/** Waits until no other transaction grants mints, and keeps others from it until this one ends. */
export async function lockGrants(tx: Queryable): Promise<void> {
  await tx.query(`select pg_advisory_xact_lock(${GRANT_LOCK})`)
}

/** Payments too many that a rail has, and no statement shows: nothing is owed for them, so nothing of them is booked until they have left. */
export const EXTRA_SENT = `(select coalesce(sum(p.amount_sen), 0) * 10000 from payout_attempts a join payouts p using (payout_id)
    where a.is_extra and a.status = 'sent')::text`

/**
 * Mints that are signed and not final (what is minted back is owed until then), and what is there beside the books: coin that others made, what is there of
 * orders that are not made good, and what the chains have done otherwise the second time and nobody has explained.
 */
const UNBOOKED = `select
  (select coalesce(sum(o.amount_micro), 0) from batches b cross join lateral unnest(b.order_ids) as s (order_id)
    join orders o on o.order_id = s.order_id
    where b.status in ('signed', 'mined') and o.direction = 'MINT' and o.integration_id not in ${HOUSE})::text as signed,
  (${madeByOthers('where true', 'where true')} + ${ofLostOrders('l.closed_at is null')} + ${unexplained('true')})::text as beside,
  ${EXTRA_SENT} as extra`

/** What the chains, and the rails, have that the books have not. */
export type Unbooked = { signed: string; beside: string; extra: string }

/**
 * Reads the facts, each part as of one moment. In this order whatever happens in between is counted twice rather than
 * not at all: what is signed becomes coin, the books know no more than the bank has said, and what has come from another account is looked for
 * before the statement can come that shows it to have left that one.
 */
export async function readReserveFacts(db: Queryable): Promise<ReadFacts> {
  const [unbooked] = await db.query<Unbooked>(UNBOOKED)
  const balances = await readBalances(db)
  const maybeDoubledMicro = await readMaybeDoubled(db)
  const banks = await readBankBalances(db)
  const ages = await readClosedAges(db, banks)
  return factsOf(
    unbooked,
    balances,
    banks.map(({ bankAccount, closingMicro, creditsSinceMicro, closedOn }) => ({
      bankAccount,
      closingMicro,
      creditsSinceMicro,
      bookedMicro: bookedOf(balances, bankAccount),
      ageMs: ages(closedOn),
    })),
    maybeDoubledMicro,
  )
}

/** What the books hold of a bank account. */
export function bookedOf(balances: readonly Balance[], bankAccount: string): bigint {
  return balances.find(({ kind, owner }) => kind === 'reserve' && owner === bankAccount)?.balanceMicro ?? 0n
}

/**
 * Less than no coin is on a chain only where others have made what was burnt there: no more of it counts than there is beside the books. Written past the service,
 * on a chain that nobody asks, it would be room for mints on any other.
 */
function coinsOf(balances: readonly Balance[], besideMicro: bigint): bigint {
  const onChains = balances.filter(({ kind }) => kind === 'coins').map(({ balanceMicro }) => -balanceMicro)
  const total = (micro: readonly bigint[]) => micro.reduce((sum, each) => sum + each, 0n)
  const lessMicro = total(onChains.filter((micro) => micro < 0n))
  const least = besideMicro < 0n ? besideMicro : 0n
  const restMicro = besideMicro + lessMicro
  return total(onChains.filter((micro) => micro > 0n)) + (restMicro > least ? restMicro : least)
}

/** Adds up what was read (pure). @param maybeDoubledMicro what may stand on two accounts although no bank says so */
export function factsOf(
  unbooked: Unbooked | undefined,
  balances: readonly Balance[],
  accounts: readonly ReserveAccount[],
  maybeDoubledMicro = 0n,
): ReadFacts {
  const sum = (kind: string) =>
    balances.filter((each) => each.kind === kind).reduce((total, { balanceMicro }) => total + balanceMicro, 0n)
  // What a rail says that it paid has left the bank, although no statement shows it yet: it stands with that rail.
  const saidPaidMicro = balances
    .filter(({ kind, owner }) => kind === 'reserve' && !accounts.some(({ bankAccount }) => bankAccount === owner))
    .reduce((total, { balanceMicro }) => (balanceMicro < 0n ? total - balanceMicro : total), 0n)
  // A rail that has less than nothing was written past the service: it brings nothing back, and hides nothing that another one has.
  const withRails = balances
    .filter(({ kind, balanceMicro }) => kind === 'payout_clearing' && balanceMicro < 0n)
    .reduce((total, { balanceMicro }) => total - balanceMicro, 0n)
  // What has come from another account of ours, whose statement does not show that it left, counts there, too.
  const doubled = balances
    .filter(({ kind, owner, balanceMicro }) => {
      const [from] = owner.split('/')
      return kind === 'own_transfers' && balanceMicro < 0n && accounts.some(({ bankAccount }) => bankAccount === from)
    })
    .reduce((total, { balanceMicro }) => total - balanceMicro, 0n)
  const clearing = {
    payoutsMicro: withRails,
    extraMicro: BigInt(unbooked?.extra ?? 0),
    saidPaidMicro,
    doubledMicro: doubled + maybeDoubledMicro,
  }
  return {
    accounts,
    clearing,
    clearingMicro: Object.values(clearing).reduce((total, micro) => total + micro, 0n),
    coinsMicro: coinsOf(balances, BigInt(unbooked?.beside ?? 0)),
    signedMicro: BigInt(unbooked?.signed ?? 0),
    payableMicro: -sum('redeem_payable'),
    residualMicro: -sum('residual'),
  }
}
