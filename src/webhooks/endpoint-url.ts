/** What an endpoint's URL may be, checked when it is registered. The connection is checked again at every delivery. */
import { isLoopbackAddress, mayConnect } from './address-guard.ts'

const MAX_URL_LENGTH = 2000

export type CheckedUrl = { ok: true; url: string } | { ok: false; problem: string }

/**
 * Checks and normalises an endpoint's URL: https (http only to loopback, where allowed), no credentials, no fragment, at
 * most 2,000 characters, and no address literal that deliveries would refuse. Any port may be named.
 * @returns the URL as it is stored, or the problem as a sentence for the operator
 */
export function checkEndpointUrl(text: string, options: { allowLoopback: boolean }): CheckedUrl {
  if (text.length > MAX_URL_LENGTH) return problem(`The URL is longer than ${MAX_URL_LENGTH} characters.`)
  if (!URL.canParse(text))
    return problem('The URL is not valid. Give it whole, such as https://partner.example/webhooks.')
  const url = new URL(text)
  if (url.href.length > MAX_URL_LENGTH) return problem(`The URL is longer than ${MAX_URL_LENGTH} characters.`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return problem('The URL must begin with https://.')
  if (url.username !== '' || url.password !== '') return problem('The URL must not hold a user name or password.')
  if (url.hash !== '' || text.includes('#')) return problem('The URL must not have a fragment (#…).')
  if (url.port === '0') return problem('The URL must not name port 0.')
  return checkHost(url, options.allowLoopback)
}

/**
 * The address that a URL's host spells out, in any notation, or undefined when the host is a name.
 * URL parsing (WHATWG) has already turned decimal, octal, hexadecimal and short IPv4 forms into four decimal parts.
 */
export function literalAddress(url: URL): string | undefined {
  if (url.hostname.startsWith('[')) return url.hostname.slice(1, -1)
  return /^[\d.]+$/.test(url.hostname) ? url.hostname : undefined
}

/** Whether the host is a name that always means this machine (RFC 6761). */
export function isLocalhostName(hostname: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(hostname)
}

function checkHost(url: URL, allowLoopback: boolean): CheckedUrl {
  const address = literalAddress(url)
  const isLoopback = isLocalhostName(url.hostname) || (address !== undefined && isLoopbackAddress(address))
  if (isLoopback && !allowLoopback) return problem('The URL must not point to this machine.')
  if (url.protocol === 'http:' && !isLoopback) {
    return problem(`The URL must begin with https://${allowLoopback ? '; http:// is for this machine only' : ''}.`)
  }
  if (address !== undefined && !mayConnect(address, url.protocol, allowLoopback)) {
    return problem('The URL points to an address that is not public.')
  }
  return { ok: true, url: url.href }
}

function problem(sentence: string): CheckedUrl {
  return { ok: false, problem: sentence }
}
