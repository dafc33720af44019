/** What the routes of orders share. */
import type { Static } from 'typebox'
import { ApiError } from '../../errors.ts'
import type { Direction, ShownOrder } from '../../orders/order.ts'
import { isReferenceId } from '../../orders/reference-id.ts'
import { viewOrder } from '../../orders/view.ts'
import { successBody } from '../envelope.ts'
import type { Parameter, ReadCall, ReadRoute, WriteCall, WriteRoute } from '../route.ts'
import { EXAMPLE_COMPLETED, EXAMPLE_TRANSFERRED, exampleOrder, Order as OrderSchema } from '../schemas/order.ts'
import { EXAMPLE_REFERENCE, ReferenceId } from '../schemas/values.ts'

export const referenceIdParameter: Parameter = {
  name: 'referenceId',
  in: 'path',
  required: true,
  description: 'The reference of the order.',
  schema: ReferenceId,
  example: EXAMPLE_REFERENCE,
}

/** What acceptance needs to know of a POST. */
export function postCall({ key, idempotencyKey, fingerprint, body }: WriteCall) {
  return { caller: key, idempotencyKey, fingerprint, body }
}

type OrderReadDescription = Pick<ReadRoute, 'operationId' | 'path' | 'tag' | 'summary' | 'description' | 'scopes'>

/** What a route says that reads orders of one direction. */
export const ONE_DIRECTION = 'An order of another direction or another integration is not found.'

/** A route that reads one order; an order of another direction counts as not found (contract "Not found"). */
export function orderReadRoute(description: OrderReadDescription, direction: Direction | undefined): ReadRoute {
  const example = exampleOrder({
    direction: direction ?? 'MINT',
    ...(direction === 'TRANSFER' ? { amounts: EXAMPLE_TRANSFERRED } : {}),
    ...EXAMPLE_COMPLETED,
  })
  return {
    kind: 'read',
    method: 'GET',
    bucket: 'read',
    ...description,
    parameters: [referenceIdParameter],
    success: { status: 200, description: 'The order.', schema: OrderSchema, examples: { completed: example } },
    errors: ['INVALID_REFERENCE_ID', 'NOT_FOUND'],
    handle:
      ({ findOrder }) =>
      ({ key, params }: ReadCall) => {
        const { referenceId } = params
        if (!isReferenceId(referenceId)) throw new ApiError('INVALID_REFERENCE_ID')
        return findOrder(key.integrationId, referenceId).then((order) => {
          if (order === undefined || (direction !== undefined && order.direction !== direction))
            throw new ApiError('NOT_FOUND')
          return orderBody(order)
        })
      },
  }
}

type OrderCreateDescription = Pick<
  WriteRoute,
  'operationId' | 'path' | 'tag' | 'summary' | 'description' | 'scopes' | 'requestBody' | 'errors' | 'exampleReason'
>

/**
 * A route that creates an order.
 * @param examples of its answer
 * @param accept which POST of the acceptance it is
 */
export function orderCreateRoute(
  description: OrderCreateDescription,
  examples: Readonly<Record<string, unknown>>,
  accept: 'mint' | 'redeem' | 'transfer',
): WriteRoute {
  return {
    kind: 'write',
    method: 'POST',
    bucket: 'write',
    ...description,
    parameters: [],
    success: { status: 201, description: 'The order: new, existing or replayed.', schema: OrderSchema, examples },
    handle:
      ({ acceptance }) =>
      (call) =>
        acceptance[accept](postCall(call)),
  }
}

function orderBody(order: ShownOrder): string {
  const view: Omit<Static<typeof OrderSchema>, 'ok'> = viewOrder(order)
  return successBody(view)
}
