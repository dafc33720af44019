/** Headers of everything that the console serves: nothing from elsewhere, nothing kept but its own modules, nothing told to others. */

/** `default-src 'none'`: what is not named here a page cannot load, run or send. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
]

export const CONSOLE_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': POLICY.join('; '),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
}

/** Of modules and styles, whose address names what they say: eighty requests for each page otherwise. */
export const KEPT: Readonly<Record<string, string>> = { 'cache-control': 'private, max-age=31536000, immutable' }
