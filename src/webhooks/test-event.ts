/** The event that operators send to try an endpoint. */
import { randomBytes } from 'node:crypto'
import { TEST_EVENT } from '../events/event.ts'
import type { WebhookRequest } from './post.ts'
import { signatureHeader } from './signature.ts'

/** A signed event about no order: a receiver that follows the contract verifies it, acknowledges it, and credits nobody. */
export function testRequest(url: string, secret: string, at: Date): { eventId: string; request: WebhookRequest } {
  const eventId = `evt_${randomBytes(16).toString('hex')}`
  const { type, data } = TEST_EVENT
  const body = JSON.stringify({ id: eventId, type, createdAt: at.toISOString(), data })
  return { eventId, request: { url, body, signature: signatureHeader(secret, body, at) } }
}
