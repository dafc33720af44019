/** /batches: what went to the chains together, and what others settled there. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import type { Queryable } from '../../db/database.ts'
import type { OrderName } from '../../orders/order.ts'
import { disownInBatch, explainBatch, giveUpBatch } from '../../settlement/explain/explain.ts'
import { explainOutcome, lastOutcome, proveOutcome } from '../../settlement/explain/outcome.ts'
import { proveReplaced } from '../../settlement/explain/replaced.ts'
import { findOutcome } from '../../settlement/tables/outcomes.sql.ts'
import { audited } from '../audit.sql.ts'
import { findBatch, listBatches, readInstructions } from '../batches/batches.sql.ts'
import { batchAsSeen, requireBatchMeant } from '../batches/meant.ts'
import { noBatch, refusalFor } from '../batches/refusals.ts'
import { viewBatch, viewInstruction } from '../batches/view.ts'
import { chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { OperatorError } from '../errors.ts'
import { orderNamed } from '../orders/name.ts'
import { Flag, nextOf, oneOf, PageQuery, pageOf, parse, parseSerial, text } from '../parse.ts'

const Query = Type.Object(
  {
    ...PageQuery,
    chainId: Type.Optional(text(1, 20)),
    foreign: Type.Optional(oneOf(['true', 'false'])),
    unexplained: Type.Optional(oneOf(['true', 'false'])),
  },
  { additionalProperties: false },
)
const Explanation = Type.Object(
  {
    reason: text(1, 500),
    notOrder: Type.Optional(text(1, 220)),
    index: Type.Optional(Type.Integer({ minimum: 0, maximum: 254, description: 'a number from 0 to 254' })),
    giveUp: Type.Optional(Flag),
    /** Its digest or its transaction: under its number there may be another by now. */
    digest: Type.Optional(text(1, 100)),
  },
  { additionalProperties: false },
)

type ById = { Params: { chainId: string; batchId: string } }

export function batchRoutes(app: FastifyInstance, { db, chains }: OperatorDeps): void {
  app.get('/batches', async ({ query }) => {
    const { chainId, foreign, unexplained, ...rest } = parse(Query, query)
    const page = pageOf(rest)
    const listed = await listBatches(db, {
      chainId: chainId === undefined ? undefined : Number(parseSerial('chainId', chainId)),
      foreign: foreign === 'true',
      unexplained: unexplained === 'true',
      after: page.after === undefined ? undefined : placeOf(page.after),
      limit: page.limit,
    })
    const next = nextOf(listed, page, (batch) => `${batch.chainId}/${batch.batchId}`)
    return { ok: true, batches: listed.map(viewBatch), next }
  })

  const show = async (key: Key) => {
    const batch = await findBatch(db, key.chainId, key.batchId)
    if (batch === undefined) throw noBatch(key)
    const instructions = await readInstructions(db, batch)
    const shown = instructions.map((each) => viewInstruction(each, batch))
    return { ...viewBatch(batch), asSeen: batchAsSeen(batch), instructions: shown }
  }

  app.get<ById>('/batches/:chainId/:batchId', async ({ params }) => ({ ok: true, ...(await show(keyOf(params))) }))

  app.post<ById>('/batches/:chainId/:batchId/explain', async ({ params, body, headers }) => {
    const key = keyOf(params)
    const { reason, order, index, giveUp, digest } = wordOf(body)
    const other = order === null && !giveUp ? await otherOf({ db, chains }, key) : undefined
    const replaced = order === null && other === undefined ? await replacedBy({ db, chains }, key, giveUp) : undefined
    const isProven = (other ?? replaced) !== undefined
    const done = await audited(
      db,
      async (tx) => {
        const before = await findBatch(tx, key.chainId, key.batchId)
        const explained = await explain(tx, key, { reason, order, index, other, replaced })
        if (before !== undefined) await requireBatchMeant(tx, headers, { before, named: digest, isProven })
        return explained
      },
      (explained) => ({
        action: 'batch.explain',
        target: `${key.chainId}/${key.batchId}`,
        details: {
          reason,
          notOrder: order,
          ...(digest === undefined ? {} : { digest }),
          instructions: explained.indexes,
          next: explained.next,
          ...(explained.isGivenUp ? { givenUp: true } : {}),
          ...(explained.orders === undefined ? {} : { orders: explained.orders }),
        },
      }),
    )
    return { ok: true, ...(await show(key)), ...(order === null ? {} : { order: { order, next: done.next } }) }
  })
}

type Word = {
  reason: string
  order: string | null
  index: number | undefined
  other: Awaited<ReturnType<typeof otherOf>>
  replaced: Awaited<ReturnType<typeof replacedBy>>
}

/** @throws OperatorError where it is refused */
async function explain(tx: Queryable, key: Key, { reason, order, index, other, replaced }: Word): Promise<Explained> {
  if (other !== undefined) return explainedAs(await explainOutcome(tx, key, reason, other), key)
  const result =
    order !== null
      ? await disownInBatch(tx, key, nameOf(order), index)
      : await (replaced === undefined ? explainBatch(tx, key, reason) : giveUpBatch(tx, key, reason, replaced))
  if (result === 'explained' || result === 'given_up') return { ...NOTHING, isGivenUp: result === 'given_up' }
  if ('refused' in result) throw refusalFor(result, key, order)
  return { ...NOTHING, next: result.next, indexes: result.chosen.map((each) => String(each.index)) }
}

/** What an operator says: of one order, or of the whole batch where `order` is null. */
function wordOf(body: unknown) {
  const { reason, notOrder, index, giveUp = false, digest } = parse(Explanation, body)
  if (index !== undefined && notOrder === undefined)
    throw new OperatorError('BAD_REQUEST', '"index" needs "notOrder": it says which instruction is not that order\'s.')
  if (giveUp && notOrder !== undefined)
    throw new OperatorError('BAD_REQUEST', '"giveUp" is said of a whole batch: leave "notOrder" out.')
  return { reason, order: notOrder ?? null, index, giveUp, digest }
}

/** What the chain says of a final batch that is to be given up: one of ours, of which nothing else is said, or one of others. */
async function replacedBy(
  { db, chains }: Pick<OperatorDeps, 'db' | 'chains'>,
  { chainId, batchId }: Key,
  giveUp: boolean,
) {
  const batch = await findBatch(db, chainId, batchId)
  if (batch === undefined || batch.status !== 'final' || (batch.isForeign && !giveUp)) return undefined
  return await proveReplaced(db, chooseChain(chains, chainId), batchId)
}

/**
 * The other outcome with which the chain has executed a batch of ours again, as its nodes show it now; of a chain that is lost, as a settler saw it last.
 * Undefined of any other batch, and of one whose outcome is explained.
 */
async function otherOf({ db, chains }: Pick<OperatorDeps, 'db' | 'chains'>, { chainId, batchId }: Key) {
  if ((await findOutcome(db, chainId, batchId))?.isExplained !== false) return undefined
  return (await lastOutcome(db, chainId, batchId)) ?? (await proveOutcome(db, chooseChain(chains, chainId), batchId))
}

type Explained = { next: string | null; indexes: string[]; isGivenUp: boolean; orders: string[] | undefined }
const NOTHING: Explained = { next: null, indexes: [], isGivenUp: false, orders: undefined }

/** @throws OperatorError where it is refused */
function explainedAs(result: Awaited<ReturnType<typeof explainOutcome>>, key: Key): Explained {
  if ('refused' in result) throw refusalFor(result, key, null)
  const { note, forget, turn, beside } = result
  const said = (placed: readonly { order: string }[], what: string) => placed.map(({ order }) => `${order} ${what}`)
  const noted = note.map(({ order, stands }) => `${order} was ${stands === 'failed' ? 'executed' : 'refused'}`)
  return {
    ...NOTHING,
    orders: [
      ...noted,
      ...said(forget, 'is as it was told'),
      ...said(turn, 'was made good, and has changed again'),
      ...said(beside, 'had left the batch, which has burnt it after all, or does so no more'),
    ],
  }
}

type Key = { chainId: number; batchId: bigint }

function keyOf({ chainId, batchId }: ById['Params']): Key {
  return { chainId: Number(parseSerial('chainId', chainId)), batchId: parseSerial('batchId', batchId) }
}

function placeOf(after: string): { chainId: number; batchId: bigint } {
  const [chainId = '', batchId = ''] = after.split('/')
  return { chainId: Number(parseSerial('after', chainId)), batchId: parseSerial('after', batchId) }
}

function nameOf(order: string): OrderName {
  const named = orderNamed(order)
  if (named !== undefined) return named
  throw new OperatorError('BAD_REQUEST', '"notOrder" must be an order, named integrationId/referenceId.')
}
