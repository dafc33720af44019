import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bankAccountProblems } from './bank-account.ts'
import { corporateProblems } from './corporate.ts'
import { COUNTRY_CODES, countryProblem } from './country.ts'
import { type Customer, customerProblems, viewCustomer } from './customer.ts'
import { labelProblem } from './verification.ts'

const BANK = { bic: 'MBBEMYKL', account: '514012345678', name: 'Aminah binti Ali' }

const CUSTOMER: Customer = {
  customerId: 'cus_0123456789abcdef01234567',
  integrationId: 'int_0123456789abcdef01234567',
  accountType: 'RETAIL',
  status: 'VERIFIED',
  level: 'TIER_2',
  verifiedAt: new Date('2026-01-02T03:04:05.678Z'),
  countryCode: 'MY',
  isResident: true,
  monthlyCapMicro: 500_000_000_000n,
  monthlyCommittedMicro: 1_500_000n,
  canMint: true,
  canRedeem: true,
  canTransfer: true,
  bankId: 'bnk_1',
  bank: { bic: BANK.bic, accountEnding: '5678' },
  hasWallet: true,
  erasedAt: null,
  createdAt: new Date('2026-01-01T00:00:00.000Z'),
}

describe('validation of parties', () => {
  it('knows the 249 assigned countries, only in capitals', () => {
    assert.equal(COUNTRY_CODES.size, 249)
    for (const code of ['MY', 'SG', 'ZW', 'AX']) assert.equal(countryProblem(code), undefined)
    for (const code of ['my', 'XX', 'UK', 'M', 'MYS', '']) assert.match(countryProblem(code) ?? '', /not a country/)
  })

  it('accepts BICs of 8 and 11 characters whose country exists', () => {
    for (const bic of ['MBBEMYKL', 'CIBBMYKLXXX', 'NCBVXKPR'])
      assert.deepEqual(bankAccountProblems({ ...BANK, bic }), [])
    for (const bic of ['MBBEMYK', 'MBBEMYKLX', 'mbbemykl', 'MBBEZZKL', 'MBBE MYKL', '']) {
      assert.match(bankAccountProblems({ ...BANK, bic }).join(), /ISO 9362/, bic)
    }
  })

  it('accepts account numbers of digits only, and printable names', () => {
    for (const account of ['1234', '5140-1234-5678', '１２３４５６', '1'.repeat(21), '']) {
      assert.match(bankAccountProblems({ ...BANK, account }).join(), /digits/, account)
    }
    for (const name of ['', '   ', 'a\nb', 'a\u0085b', 'a\u009b31mb', 'a\u202eb', 'n'.repeat(141)]) {
      assert.match(bankAccountProblems({ ...BANK, name }).join(), /printable/, name)
    }
    assert.deepEqual(bankAccountProblems(BANK), [])
  })

  it('accepts labels that the contract could show', () => {
    for (const label of ['TIER_2', 'COMPLETE', 'A']) assert.equal(labelProblem('level', label), undefined)
    for (const label of ['', 'tier_2', '2_TIER', 'T'.repeat(33)])
      assert.match(labelProblem('stage', label) ?? '', /stage/)
  })

  it('names every problem of a customer and of a corporate at once', () => {
    assert.deepEqual(customerProblems(CUSTOMER), [])
    const customer = { ...CUSTOMER, level: '', countryCode: 'XX' }
    assert.equal(customerProblems(customer).length, 2)
    assert.equal(bankAccountProblems({ bic: 'x', account: 'x', name: '' }).length, 3)
    const corporate = { status: 'PENDING', canMint: true, canRedeem: true, canPayroll: true } as const
    assert.equal(
      corporateProblems({ ...corporate, companyName: ' ', industry: '', stage: 'x', countryCode: '' }).length,
      4,
    )
  })
})

describe('viewCustomer', () => {
  it('shows exactly the fields of the contract', () => {
    assert.deepEqual(viewCustomer(CUSTOMER), {
      customerId: CUSTOMER.customerId,
      accountType: 'RETAIL',
      verification: { status: 'VERIFIED', level: 'TIER_2', verifiedAt: '2026-01-02T03:04:05.678Z' },
      residency: { countryCode: 'MY', isResident: true },
      limits: {
        currency: 'MYR',
        monthlyWithdrawalCap: '500000',
        monthlyWithdrawalUsed: '1.5',
        monthlyWithdrawalRemaining: '499998.5',
      },
      capabilities: { canMint: true, canRedeem: true, canTransfer: true },
      createdAt: '2026-01-01T00:00:00.000Z',
    })
  })

  it('shows a capability only when such an order could be accepted now', () => {
    const of = (changes: Partial<Customer>) => viewCustomer({ ...CUSTOMER, ...changes }).capabilities
    const none = { canMint: false, canRedeem: false, canTransfer: false }
    assert.deepEqual(of({ status: 'PENDING' }), none)
    assert.deepEqual(of({ bankId: null, bank: null }), { canMint: true, canRedeem: false, canTransfer: true })
    assert.deepEqual(of({ hasWallet: false }), { canMint: true, canRedeem: false, canTransfer: false })
    assert.deepEqual(of({ canMint: false, canTransfer: false }), { ...none, canRedeem: true })
  })

  it('never shows a negative remainder after a cap was lowered', () => {
    const { limits } = viewCustomer({ ...CUSTOMER, monthlyCapMicro: 1_000_000n })
    assert.equal(limits.monthlyWithdrawalRemaining, '0')
  })
})
