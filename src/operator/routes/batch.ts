/** /batches: what went to the chains together, and what others settled there. */
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import {
  disownInBatch,
  type ExplainRefusal,
  explainBatch,
  giveUpBatch,
  type OrderName,
} from '../../settlement/explain/explain.ts'
import { proveReplaced } from '../../settlement/explain/replaced.ts'
import { audited } from '../audit.sql.ts'
import { findBatch, listBatches, readInstructions } from '../batches/batches.sql.ts'
import { viewBatch, viewInstruction } from '../batches/view.ts'
import { chooseChain } from '../choose-chains.ts'
import type { OperatorDeps } from '../deps.ts'
import { notFound, OperatorError } from '../errors.ts'
import { nextOf, oneOf, PageQuery, pageOf, parse, parseSerial, text } from '../parse.ts'

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
    giveUp: Type.Optional(Type.Boolean({ description: 'true or false' })),
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
    return { ...viewBatch(batch), instructions: instructions.map((each) => viewInstruction(each, batch)) }
  }

  app.get<ById>('/batches/:chainId/:batchId', async ({ params }) => ({ ok: true, ...(await show(keyOf(params))) }))

  app.post<ById>('/batches/:chainId/:batchId/explain', async ({ params, body }) => {
    const key = keyOf(params)
    const { reason, notOrder, index, giveUp = false } = parse(Explanation, body)
    if (index !== undefined && notOrder === undefined)
      throw new OperatorError(
        'BAD_REQUEST',
        '"index" needs "notOrder": it says which instruction is not that order\'s.',
      )
    if (giveUp && notOrder !== undefined)
      throw new OperatorError('BAD_REQUEST', '"giveUp" is said of a whole batch: leave "notOrder" out.')
    const order = notOrder === undefined ? null : notOrder
    const replaced = order === null ? await replacedBy({ db, chains }, key, giveUp) : undefined
    const done = await audited(
      db,
      async (tx) => {
        const result =
          order !== null
            ? await disownInBatch(tx, key, nameOf(order), index)
            : await (replaced === undefined ? explainBatch(tx, key, reason) : giveUpBatch(tx, key, reason, replaced))
        if (result === 'explained' || result === 'given_up')
          return { next: null, indexes: [], isGivenUp: result === 'given_up' }
        if ('refused' in result) throw refusalFor(result, key, order)
        return { next: result.next, indexes: result.chosen.map((each) => String(each.index)), isGivenUp: false }
      },
      (explained) => ({
        action: 'batch.explain',
        target: `${key.chainId}/${key.batchId}`,
        details: {
          ...{ reason, notOrder: order, instructions: explained.indexes, next: explained.next },
          ...(explained.isGivenUp ? { givenUp: true } : {}),
        },
      }),
    )
    return { ok: true, ...(await show(key)), ...(order === null ? {} : { order: { order, next: done.next } }) }
  })
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

type Key = { chainId: number; batchId: bigint }

function keyOf({ chainId, batchId }: ById['Params']): Key {
  return { chainId: Number(parseSerial('chainId', chainId)), batchId: parseSerial('batchId', batchId) }
}

function placeOf(after: string): { chainId: number; batchId: bigint } {
  const [chainId = '', batchId = ''] = after.split('/')
  return { chainId: Number(parseSerial('after', chainId)), batchId: parseSerial('after', batchId) }
}

function nameOf(order: string): OrderName {
  const slash = order.indexOf('/')
  if (slash > 0 && slash < order.length - 1)
    return { integrationId: order.slice(0, slash), referenceId: order.slice(slash + 1) }
  throw new OperatorError('BAD_REQUEST', '"notOrder" must be an order, named integrationId/referenceId.')
}

function noBatch({ chainId, batchId }: { chainId: number; batchId: bigint }): OperatorError {
  return notFound('batch', `${batchId} of chain ${chainId}`, 'batch list')
}

function refusalFor(
  result: ExplainRefusal,
  key: { chainId: number; batchId: bigint },
  order: string | null,
): OperatorError {
  if (result.refused === 'no_batch') return noBatch(key)
  if (result.refused === 'orders_wait')
    return new OperatorError(
      'CONFLICT',
      `Orders wait because of this batch: ${result.orders.join(', ')}. Decide about each first: "batch explain … --not-order" or "order reject".`,
    )
  return new OperatorError('CONFLICT', SENTENCES[result.refused](order ?? ''))
}

const SENTENCES: Readonly<
  Record<Exclude<ExplainRefusal['refused'], 'no_batch' | 'orders_wait'>, (order: string) => string>
> = {
  own_batch: () =>
    'The chain has the batch, or no other instructions under its id in a final block: there is nothing to explain, nor to give up.',
  not_first: () =>
    'The batch before it is not that of the chain either: explain the first one that is not, which the log of the settler names.',
  not_final: () =>
    'The chain has lost the batch, but the block in which it was is not final yet on the chain that has remained: ask again once it is.',
  signed_again: () =>
    'The chain has lost the batch, and the settler signs it again: everything in it is the outcome of an order. Wait for that.',
  explained_already: () => 'The batch was explained before: see "batch show".',
  not_in_conflict: (order) => `${order} does not wait because of its tag: see "order show ${order}".`,
  none_chosen: (order) => `No instruction of this batch is left that could be that of ${order}: see "batch show".`,
  would_settle_twice: (order) =>
    `Coin was moved under the reference of ${order}, and as far as can be known for it: released, it would settle twice. Reject it with "order reject", and let the partner use another reference.`,
}
