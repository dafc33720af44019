/** The account to which a payout would be paid next: nobody should ask for that, or approve it, by another one. Of the number, the last four digits. */
import { findCustomerOfAny } from '../customers/customers.sql.ts'
import type { Queryable } from '../db/database.ts'
import type { Payout, PayoutStatus } from '../payouts/payout.ts'
import type { SecretBox } from '../secrets/secrets.ts'
import { openBanks } from './customer-bank.ts'
import { maskedAccount } from './subjects.ts'

/** What came back is paid again as a new payment, to the account that the customer has by then. */
const ANEW: ReadonlySet<PayoutStatus> = new Set(['rejected', 'returned'])
/** What a rail was asked for goes to the account of that payment for ever; to the customer's while none was asked. */
const GOES_ON: ReadonlySet<PayoutStatus> = new Set(['queued', 'held'])

/** @returns null where nothing more is to be paid, or there is no account */
export async function sayPaysTo(
  db: Queryable,
  secrets: SecretBox,
  { status, bankId, customerId }: Pick<Payout, 'status' | 'bankId' | 'customerId'>,
): Promise<string | null> {
  if (!ANEW.has(status) && !GOES_ON.has(status)) return null
  const own = GOES_ON.has(status) ? bankId : null
  return await sayAccount(db, secrets, own ?? (await findCustomerOfAny(db, customerId))?.bankId ?? null)
}

/** The name, which may be any text, stands behind the account: in front of it, it could name another one. */
export async function sayAccount(db: Queryable, secrets: SecretBox, bankId: string | null): Promise<string | null> {
  const bank = (await openBanks(db, secrets, [{ bankId }])).get(bankId ?? '')
  return bank === undefined ? null : `${maskedAccount(bank.account)}, ${bank.bic}, ${plain(bank.name)}`
}

/** Nothing in it turns the direction of what stands after it. */
const plain = (name: string) => name.replace(/\p{C}/gu, ' ')
