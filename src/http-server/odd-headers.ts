/** Headers that HTTP allows and parsers disagree about. */
import type { IncomingMessage } from 'node:http'

/**
 * How often a request carries a header that HTTP allows once. Of two, Node would keep the first and a proxy perhaps the second.
 * @param name in small letters
 */
export function timesSent({ rawHeaders }: Pick<IncomingMessage, 'rawHeaders'>, name: string): number {
  let times = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const sent = rawHeaders[index]
    if (sent?.length === name.length && sent.toLowerCase() === name) times += 1
  }
  return times
}

/** Whether it is of a version that is served here. Node also reads a request line that says 2.0, or 0.9, and answers as in HTTP/1.1. */
export function isHttp1({ httpVersion }: Pick<IncomingMessage, 'httpVersion'>): boolean {
  return httpVersion === '1.1' || httpVersion === '1.0'
}

/** `uri-host [ ":" port ]` (RFC 9110 7.2, RFC 3986 3.2.2); what is in brackets, some address. */
const HOST = /^(?:\[[\w.~:%-]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i

/** Whether a request names its host as RFC 9112 3.2 demands: at most once and, from HTTP/1.1 on, exactly once, by what can be a host. */
export function namesOneHost(request: Pick<IncomingMessage, 'rawHeaders' | 'headers' | 'httpVersion'>): boolean {
  const hosts = timesSent(request, 'host')
  return hosts === 1 ? HOST.test(request.headers.host ?? '') : hosts === 0 && request.httpVersion !== '1.1'
}

/**
 * Whether the bytes of the body are those that the client meant. They may not be under a coding besides chunks, which Node passes over as if it were not
 * there (RFC 9112 6.1). Nor may they be in chunks under HTTP/1.0, which has none: a proxy of that version may have cut the body elsewhere.
 */
export function isPlainlyFramed({ headers, httpVersion }: Pick<IncomingMessage, 'headers' | 'httpVersion'>): boolean {
  const coding = headers['transfer-encoding']
  return coding === undefined || (coding.toLowerCase() === 'chunked' && httpVersion === '1.1')
}

const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([\da-f:.]+)\])(?::\d{1,5})?$/i

/**
 * X-Forwarded-For without the ports and brackets that some proxies write around addresses; anything that is not an
 * address stays as it is.
 */
export function withoutPorts(forwardedFor: string): string {
  const addresses = forwardedFor.split(',').map((part) => {
    const [, v4, v6] = WITH_PORT.exec(part.trim()) ?? []
    return v4 ?? v6 ?? part.trim()
  })
  return addresses.join(', ')
}
