/** What a partner must know beyond the single operations, in Markdown of paragraphs, lists and code only. */

export type Guide = { id: string; title: string; paragraphs: readonly string[]; code?: string }

export const GUIDES: readonly Guide[] = [
  {
    id: 'first-call',
    title: 'First call',
    paragraphs: [
      'Set `COIN_API` to the address of the environment and `COIN_KEY` to your API key. Health and server time need no key.',
      'Retry only 429 (after `Retry-After`), 502, 503 and 504, with backoff, with the same Idempotency-Key and the same body. Never retry another 4xx unchanged.',
    ],
    code: 'export COIN_API=https://sandbox.example\nexport COIN_KEY=coin_sandbox_…\ncurl "$COIN_API/v1/health"',
  },
  {
    id: 'idempotency',
    title: 'Idempotency',
    paragraphs: [
      'Every POST carries an `Idempotency-Key` of 1 to 255 characters, one for each logical operation. The same key with the same body answers the original response again, with `X-COIN-Idempotent-Replay: true`; with another body, or on another path, it answers 409 `IDEMPOTENCY_CONFLICT`. Only successful answers are remembered, for at least 90 days.',
      'The `referenceId` names an order for its whole life: posting it again answers the existing order (a redeem with other details answers 409).',
    ],
  },
  {
    id: 'amounts',
    title: 'Amounts and times',
    paragraphs: [
      'Amounts are decimal strings with at most 6 decimal places, never numbers. `1000` equals `1000.00`: use a decimal library and never compare the strings. `amountRaw` is the exact on-chain integer.',
      'Times are ISO 8601 in UTC with milliseconds.',
    ],
  },
  {
    id: 'limits',
    title: 'Limits',
    paragraphs: [
      'Reads: 120 requests a minute for each key. Balances: 60. Posts: 60. Windows are UTC minutes; your key may have limits of its own, shown in the `X-RateLimit-` headers.',
      'Transfers: 50,000 coin each and 250,000 coin per key and UTC day, unless `meta` of the cap errors says less. Non-resident customers: RM 100,000 for each mint or redeem. Redeems: a monthly limit per customer, readable on the customer.',
    ],
  },
]

export const SIGNATURE_GUIDE: readonly string[] = [
  'Take the body as raw bytes; do not parse or re-serialise it first.',
  'Split the header `X-COIN-Signature: t=<unix seconds>,v1=<hex>` on `,` and read `t` and `v1`.',
  'Reject when now and `t` differ by more than 300 seconds.',
  'Compute HMAC-SHA256 over `t`, a dot and the raw body, keyed with the whole webhook secret.',
  'Compare with `v1` in constant time; reject on mismatch.',
  'Only then parse the JSON. Deduplicate on `id`, and read the order before you credit anyone.',
]

export const SIGNATURE_CODE = `import { createHmac, timingSafeEqual } from 'node:crypto'

/** Throws unless the delivery is genuine. rawBody: the bytes as received; header: X-COIN-Signature. */
function verify(rawBody, header, secret) {
  const parts = new Map(header.split(',').map((part) => part.split('=', 2)))
  const t = Number(parts.get('t'))
  const v1 = Buffer.from(parts.get('v1') ?? '', 'hex')
  if (!(Math.abs(Date.now() / 1000 - t) <= 300)) throw new Error('too old or too new')
  const expected = createHmac('sha256', secret).update(parts.get('t') + '.').update(rawBody).digest()
  if (v1.length !== expected.length || !timingSafeEqual(v1, expected)) throw new Error('not genuine')
  return JSON.parse(rawBody)
}`
