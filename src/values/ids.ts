/** Ids that the service gives. */
import { randomBytes } from 'node:crypto'

/** Integration, customer, corporate, webhook endpoint, bank details. */
type Kind = 'int' | 'cus' | 'cor' | 'we' | 'bnk'

/** A new id: its kind, and 24 hexadecimal characters (96 bits) that nobody can guess. */
export function newId(kind: Kind): string {
  return `${kind}_${randomBytes(12).toString('hex')}`
}
