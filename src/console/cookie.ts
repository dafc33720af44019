/** The cookie that holds a session's secret: no script reads it, no other site sends it. */

const OVER_TLS = '__Host-console'
const HERE = 'console'

/** @returns the value of a Set-Cookie header; without a secret one that removes the cookie */
export function setCookie(origin: string, secret: string | undefined): string {
  const secure = origin.startsWith('https:')
  const ends = secret === undefined ? '; Max-Age=0' : ''
  return `${secure ? OVER_TLS : HERE}=${secret ?? ''}; Path=/; HttpOnly; SameSite=Strict${secure ? '; Secure' : ''}${ends}`
}

/** The session's secret that a browser sends to this origin; undefined when it sends none, or one of another form. */
export function readCookie(header: string | undefined, origin: string): string | undefined {
  const name = origin.startsWith('https:') ? OVER_TLS : HERE
  const values = (header ?? '').split(';').flatMap((part) => {
    const [key, value] = part.trim().split('=', 2)
    return key === name && value !== undefined ? [value] : []
  })
  // Two of one name: another program of this machine has set one, and nobody knows which.
  return values.length === 1 && /^[0-9A-Za-z]{43}$/.test(values[0] ?? '') ? values[0] : undefined
}
