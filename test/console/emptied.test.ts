/** What was emptied in a form is said to be impossible, where the API would keep it without a word. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type CustomerRow, changesOfCustomer, customerFields } from '../../src/console/browser/pages/customer-fields.ts'
import { bodyOfKey, type KeyRow, limitsOf } from '../../src/console/browser/pages/key-fields.ts'

/** A form sent as it was opened, as `filledIn` reads it: what may stay empty and is empty is left out. */
const unchanged = (fields: readonly { name: string; value?: string }[]) =>
  Object.fromEntries(fields.flatMap(({ name, value = '' }) => (value === '' ? [] : [[name, value]])))
const without = (filled: Record<string, string>, name: string) =>
  Object.fromEntries(Object.entries(filled).filter(([each]) => each !== name))

const CUSTOMER: CustomerRow = {
  customerId: 'cus_1',
  integrationId: 'int_1',
  externalId: 'shop-9',
  accountType: 'RETAIL',
  createdAt: '',
  verification: { status: 'VERIFIED', level: 'TIER_1', verifiedAt: null },
  residency: { countryCode: 'MY', isResident: true },
  limits: { monthlyWithdrawalCap: '1000', monthlyWithdrawalUsed: '0', monthlyWithdrawalRemaining: '1000' },
  capabilities: { canMint: true, canRedeem: true, canTransfer: true },
  switches: { canMint: true, canRedeem: true, canTransfer: true },
  bank: { bic: 'MBBEMYKL', account: '…5678', name: 'Aminah binti Ali' },
  erasedAt: null,
}

const KEY: KeyRow = {
  keyId: '1',
  scopes: [],
  ipAllowlist: ['203.0.113.0/24'],
  rateRead: 9,
  rateWrite: null,
  rateBalances: 7,
  transferTxCap: '100.5',
  transferDayCap: '200',
  mintDayCap: '300',
  expiresAt: '2099-01-01T00:00:00.000Z',
  revokedAt: null,
  createdAt: '',
  lastUsedAt: null,
  lastUsedFrom: null,
}

test('of a customer: a bank account that was emptied beside another change does not stay without a word', () => {
  const filled = unchanged(customerFields(CUSTOMER))
  assert.deepEqual(changesOfCustomer(filled, CUSTOMER), {})
  assert.deepEqual(changesOfCustomer({ ...filled, level: 'TIER_2', bankAccount: '1' }, CUSTOMER), {
    level: 'TIER_2',
    bankAccount: '1',
  })
  for (const name of ['bankBic', 'bankName'])
    assert.throws(
      () => changesOfCustomer({ ...without(filled, name), level: 'TIER_2' }, CUSTOMER),
      /cannot be emptied: “Remove the bank account …”/,
    )
  assert.throws(() => changesOfCustomer(without(filled, 'externalId'), CUSTOMER), /own id” cannot be emptied\.$/)
  const none = { ...CUSTOMER, bank: null, externalId: null }
  assert.deepEqual(changesOfCustomer(unchanged(customerFields(none)), none), {})
})

test('of a key: a limit that was emptied does not stay without a word; addresses that were emptied mean from anywhere', () => {
  const filled = unchanged(limitsOf(KEY))
  assert.deepEqual(bodyOfKey(filled, KEY), {})
  assert.deepEqual(bodyOfKey({ ...filled, rateWrite: '5', mintDayCap: '299' }, KEY), {
    rateWrite: 5,
    mintDayCap: '299',
  })
  assert.deepEqual(bodyOfKey(without(filled, 'ipAllowlist'), KEY), { ipAllowlist: [] })
  for (const name of ['rateRead', 'rateBalances', 'transferTxCap', 'transferDayCap', 'mintDayCap'])
    assert.throws(() => bodyOfKey({ ...without(filled, name), rateWrite: '5' }, KEY), /cannot be emptied: give another/)
  assert.throws(() => bodyOfKey(without(filled, 'expires'), KEY), /write “never”/)
})
