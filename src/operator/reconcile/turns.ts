/**
 * Which batches and payouts are compared with the books. What is new is compared in the next run. Afterwards everything takes turns, a part each
 * minute: recent things come round within the hour, old ones as the years allow. What differs is compared in every run until it differs no more.
 */
import type { Database } from '../../db/database.ts'
import { type BatchName, findWrongNamed, findWrongSums, MOST_FOUND, type WrongBook } from './books.sql.ts'
import {
  type BatchWalk,
  forget,
  type PayoutWalk,
  passOn,
  RECENT,
  readBatches,
  readNewest,
  readPayouts,
  readSuspects,
  remember,
  type Suspect,
} from './turns.sql.ts'
import { type Turn, takeTurn } from './walk.ts'

/** Of each kind; the first ones are enough to act on. */
const MOST_LISTED = 100

/** A walk, how many things of it are taken at most and, of batches, until they have how many orders. */
type Taken<Walk> = { walk: Walk; most: number; mostOrders?: bigint }
type Reach = { batches: readonly Taken<BatchWalk>[]; payouts: readonly Taken<PayoutWalk>[] }

/** Again and again, as long as there is more. */
const NEW: Reach = {
  batches: [{ walk: 'new', most: 20 }],
  payouts: [{ walk: 'new entries', most: 2_000 }],
}
/** Each minute: of what is recent a sixtieth. */
const PART: Reach = {
  batches: [
    { walk: 'recent', most: RECENT.batches, mostOrders: 850n },
    { walk: 'old', most: 100, mostOrders: 500n },
  ],
  payouts: [
    { walk: 'recent entries', most: RECENT.entries / 60 },
    { walk: 'entries', most: 90 },
    { walk: 'payouts', most: 50 },
  ],
}

type Named = { batches: readonly BatchName[]; payoutIds: readonly string[] }
const NOBODY: Named = { batches: [], payoutIds: [] }

/** Compares sums, what is new, what differed before, and a part of the rest. */
export async function checkBooks(db: Database): Promise<WrongBook[]> {
  const sums = await findWrongSums(db)
  while ((await compareNext(db, NEW)).hasMore);
  // Where accounts are not right, the reason is looked for at once where it is most likely.
  const isWrong = sums.some(({ what }) => what !== 'unsealed')
  const also = isWrong ? await readNewest(db) : NOBODY
  const { found } = await compareNext(db, PART, { known: await readSuspects(db, 'batch', 'payout'), also })
  return firstOfEach([...sums, ...found])
}

/** Compares a part. @returns how many things differ that did not before: the next run names them */
export async function checkPart(db: Database): Promise<number> {
  return (await compareNext(db, PART)).news
}

type Beside = { known: readonly Suspect[]; also: Named }

async function compareNext(db: Database, reach: Reach, { known, also }: Beside = { known: [], also: NOBODY }) {
  const walks = await readWalks(db, reach)
  const found = await findWrongNamed(db, together([namesOf(walks), namedBy(known), also]))
  const suspects = found.flatMap(suspectOf)
  const named = new Set(suspects.map(({ subject }) => subject))
  // Beyond the most that are found, nobody knows whether one still differs.
  const cleared = found.length < MOST_FOUND ? known.filter(({ subject }) => !named.has(subject)) : []
  const news = await db.transaction(async (tx) => {
    await forget(tx, cleared)
    const remembered = await remember(tx, suspects)
    await passOn(
      tx,
      [...walks.batches, ...walks.payouts].map(({ step }) => step),
    )
    return remembered
  })
  return { found, news, hasMore: [...walks.batches, ...walks.payouts].some(({ hasMore }) => hasMore) }
}

type Walks = { batches: Turn<BatchName>[]; payouts: Turn<string | undefined>[] }

async function readWalks(db: Database, { batches, payouts }: Reach): Promise<Walks> {
  const [ofBatches, ofPayouts] = await Promise.all([
    Promise.all(
      batches.map(async (taken) =>
        (await readBatches(db, taken.walk, taken.most + 1)).map((walk) =>
          takeTurn(walk, { ...taken, isOver: taken.walk === 'new' }),
        ),
      ),
    ),
    Promise.all(
      payouts.map(async (taken) =>
        takeTurn(await readPayouts(db, taken.walk, taken.most + 1), { ...taken, isOver: taken.walk === 'new entries' }),
      ),
    ),
  ])
  return { batches: ofBatches.flat(), payouts: ofPayouts }
}

const namesOf = ({ batches, payouts }: Walks): Named => ({
  batches: batches.flatMap(({ items }) => items),
  payoutIds: payouts.flatMap(({ items }) => items.filter((id) => id !== undefined)),
})

function namedBy(suspects: readonly Suspect[]): Named {
  const of = (kind: Suspect['what']) => suspects.filter(({ what }) => what === kind).map(({ subject }) => subject)
  const batches = of('batch').map((subject) => {
    const [chainId = '0', batchId = '0'] = subject.split('/')
    return { chainId: BigInt(chainId), batchId: BigInt(batchId) }
  })
  return { batches, payoutIds: of('payout') }
}

/** Each once. */
function together(named: readonly Named[]): Named {
  const batches = named.flatMap((one) => one.batches)
  return {
    batches: [...new Map(batches.map((batch) => [`${batch.chainId}/${batch.batchId}`, batch])).values()],
    payoutIds: [...new Set(named.flatMap(({ payoutIds }) => payoutIds))],
  }
}

function suspectOf({ what, subject }: WrongBook): Suspect[] {
  if (what === 'sent') return [{ what: 'payout', subject }]
  if (what !== 'minted' && what !== 'burnt' && what !== 'fees') return []
  const [, chainId, batchId] = subject.split('/')
  return [{ what: 'batch', subject: `${chainId}/${batchId}` }]
}

function firstOfEach(found: readonly WrongBook[]): WrongBook[] {
  const listed = new Map<WrongBook['what'], number>()
  return found.filter(({ what }) => {
    const place = (listed.get(what) ?? 0) + 1
    listed.set(what, place)
    return place <= MOST_LISTED
  })
}
