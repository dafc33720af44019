import { createHmac, timingSafeEqual } from 'node:crypto'

const TOLERANCE_SECONDS = 300

/**
 * The contract's six steps, on the raw bytes of the body. Returns the event, or undefined when it is not genuine.
 * @param {Buffer} rawBody
 * @param {string} header the value of X-COIN-Signature
 * @param {readonly string[]} secrets whole, `whsec_` included: one, or while it is replaced the present one and the next
 */
export function verify(rawBody, header, secrets, nowSeconds = Date.now() / 1000) {
  const parts = new Map(header.split(',').map((part) => /** @type {[string, string]} */ (part.split('=', 2))))
  const t = parts.get('t') ?? ''
  const v1 = parts.get('v1') ?? ''
  if (!/^\d+$/.test(t) || !/^[0-9a-f]{64}$/.test(v1)) return undefined
  if (Math.abs(nowSeconds - Number(t)) > TOLERANCE_SECONDS) return undefined
  const given = Buffer.from(v1, 'hex')
  const isGenuine = secrets.some((secret) => {
    return timingSafeEqual(createHmac('sha256', secret).update(`${t}.`).update(rawBody).digest(), given)
  })
  if (!isGenuine) return undefined
  return JSON.parse(rawBody.toString('utf8'))
}
