/** The header `X-COIN-Signature` (contract "Signature"). */
import { createHmac, randomBytes } from 'node:crypto'

export const SIGNATURE_HEADER = 'X-COIN-Signature'

/** Makes an endpoint's secret: `whsec_` and base64 of 32 random bytes. */
export function generateWebhookSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/**
 * Signs a body for one attempt: `t=<unix seconds>,v1=<hex>`, where v1 is HMAC-SHA256 over `{t}.{body}`.
 * @param secret the whole secret as shown, prefix included; its UTF-8 bytes are the key
 * @param body the exact text that is sent
 * @param at the instant of the attempt; receivers refuse one more than 300 seconds away
 */
export function signatureHeader(secret: string, body: string, at: Date): string {
  const t = Math.floor(at.getTime() / 1000)
  const v1 = createHmac('sha256', Buffer.from(secret, 'utf8')).update(`${t}.${body}`, 'utf8').digest('hex')
  return `t=${t},v1=${v1}`
}
