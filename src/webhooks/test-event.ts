/** The event that operators send to try an endpoint. */
import { randomBytes } from 'node:crypto'
import type { WebhookRequest } from './post.ts'
import { signatureHeader } from './signature.ts'

/**
 * A signed event of the shape that the contract describes, under a type of its own and a reference that no order has:
 * a receiver that follows the contract verifies it, acknowledges it, and credits nobody.
 */
export function testRequest(url: string, secret: string, at: Date): { eventId: string; request: WebhookRequest } {
  const eventId = `evt_${randomBytes(16).toString('hex')}`
  const body = JSON.stringify({
    id: eventId,
    type: 'webhook.test',
    createdAt: at.toISOString(),
    data: {
      referenceId: 'webhook-test',
      status: 'pending',
      direction: 'MINT',
      amounts: { myr: '1', coin: '1', decimals: 6 },
      blockchain: { txHash: null, blockNumber: null },
    },
  })
  return { eventId, request: { url, body, signature: signatureHeader(secret, body, at) } }
}
