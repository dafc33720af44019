/** What TLS may use where this service connects to others. */
import { DEFAULT_CIPHERS } from 'node:tls'

/**
 * Without DHE, where the other side chooses the numbers: with one of 10,000 bits each greeting occupied this process for two seconds, whatever
 * certificate came with it. Elliptic curves and TLS 1.3 have numbers that are known.
 */
export const CIPHERS = `${DEFAULT_CIPHERS}:!kDHE`
