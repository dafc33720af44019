/**
 * The banks that can be paid: their BICs and the lengths of their account numbers. Published lists disagree, so ours is
 * data.
 */
import { Type } from 'typebox'
import { jsonFileReader } from './json-file.ts'
import { catchRefusal, type Reading, refuse } from './refusal.ts'

export type Bank = {
  /** The eight characters that name the bank; the three more of a branch still name the same bank. */
  bic: string
  name: string
  /** The lengths its account numbers may have; empty when nothing is known beyond the 5 to 17 digits of every bank. */
  accountDigits: readonly number[]
}

export type BankList = ReadonlyMap<string, Bank>

const BANK_LIST = Type.Object(
  {
    banks: Type.Array(
      Type.Object(
        {
          bic: Type.String({ pattern: '^[A-Z0-9]{4}MY[A-Z0-9]{2}$' }),
          name: Type.String({ minLength: 1, maxLength: 140 }),
          accountDigits: Type.Array(Type.Integer({ minimum: 5, maximum: 17 }), { maxItems: 13 }),
        },
        { additionalProperties: false },
      ),
      { minItems: 1, maxItems: 500 },
    ),
  },
  { additionalProperties: false },
)

const readFile = jsonFileReader('The bank list', BANK_LIST)

/** Reads `{ "banks": [{ "bic", "name", "accountDigits" }] }`, the form of docs/samples/banks.json. */
export function parseBankList(text: string): Reading<BankList> {
  const file = readFile(text)
  if (!file.ok) return file
  return catchRefusal(() => {
    const { banks } = file.value
    const list = new Map(banks.map((bank) => [bank.bic, bank]))
    if (list.size < banks.length) refuse('duplicated_id', 'The bank list names a BIC twice.')
    return list
  })
}

/** The bank that a BIC of 8 or 11 characters names. */
export function bankOf(list: BankList, bic: string): Bank | undefined {
  return bic.length === 8 || bic.length === 11 ? list.get(bic.slice(0, 8)) : undefined
}
