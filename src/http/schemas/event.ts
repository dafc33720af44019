/** The body of a webhook (contract "Events"). */
import Type from 'typebox'
import { EVENT_TYPES, TEST_EVENT } from '../../events/event.ts'
import { DIRECTIONS, STATUSES } from '../../orders/order.ts'
import {
  Decimals,
  decimal,
  EXAMPLE_REFERENCE,
  integerText,
  Ok,
  oneOf,
  orNull,
  ReferenceId,
  timestamp,
} from './values.ts'

export const OrderEvent = Type.Object({
  id: Type.String({ description: 'Unique per event: deduplicate on it.' }),
  type: oneOf(EVENT_TYPES, 'What happened.'),
  createdAt: timestamp('When it happened.'),
  data: Type.Object(
    {
      referenceId: ReferenceId,
      status: oneOf(STATUSES, 'The status that is told; the order may be further by now.'),
      direction: oneOf(DIRECTIONS, 'What kind of order it is.'),
      amounts: Type.Object(
        {
          myr: orNull(decimal('MYR amount; null for a transfer.')),
          coin: decimal('Coin amount.'),
          decimals: Decimals,
        },
        { description: 'As on the order.' },
      ),
      blockchain: Type.Object(
        {
          txHash: orNull(Type.String({ description: 'Null until a chain transaction exists.' })),
          blockNumber: orNull(integerText('Block of the transaction.')),
        },
        { description: 'As on the order.' },
      ),
    },
    { description: 'A part of the order: read the order for the rest.' },
  ),
})

/** What an operator sends to try an endpoint: the same shape under a type of its own, about no order. */
export const TestEvent = Type.Object({
  ...OrderEvent.properties,
  type: Type.Literal(TEST_EVENT.type, { description: 'Never on an event of an order.' }),
})

export const EXAMPLE_EVENT = {
  id: 'evt_0f1e2d3c4b5a69788796a5b4c3d2e1f0',
  type: 'mint.completed',
  createdAt: '2026-03-01T04:05:31.002Z',
  data: {
    referenceId: EXAMPLE_REFERENCE,
    status: 'completed',
    direction: 'MINT',
    amounts: { myr: '1000.5', coin: '1000.5', decimals: 6 },
    blockchain: { txHash: `0x${'5e'.repeat(32)}`, blockNumber: '18230417' },
  },
}

export const EXAMPLE_TEST_EVENT = { ...EXAMPLE_EVENT, ...TEST_EVENT }

/** A page of GET /v1/events. */
export const EventPage = Type.Object({
  ok: Ok,
  events: Type.Array(OrderEvent, { description: 'Oldest first; the bodies that webhooks carry.' }),
  nextCursor: Type.String({ description: 'Continues after this page, even when there is nothing more yet.' }),
  hasMore: Type.Boolean({
    description:
      'Whether there is more to ask for at once. With `types` or `since` a page may have no event all the same.',
  }),
})

export const EXAMPLE_EVENT_PAGE = {
  ok: true,
  events: [EXAMPLE_EVENT],
  nextCursor: 'AwAAAAAAAALdAAAAAAAAACoAAAGbdtqoAJjkEky8p4PY',
  hasMore: false,
}
