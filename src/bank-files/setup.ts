/** The issuer's own accounts, and how its bank wants files: one JSON file, and those that it names. */
import { type Static, Type } from 'typebox'
import { parseSen } from '../money.ts'
import { parseBankList } from './banks.ts'
import { type Calendar, parseCalendar } from './calendar/calendar.ts'
import { type CsvMapping, parseCsvMapping } from './csv/mapping.ts'
import { BANK_TIME_ZONE } from './day.ts'
import { jsonFileReader } from './json-file.ts'
import { type Account, type BankProfile, checkAccount, RESIDENCY_WORDS } from './payment-file/payment.ts'
import { type BankRail, RAILS, type RailRule, railRulesWith } from './rails.ts'
import { catchRefusal, masked, type Reading, refuse } from './refusal.ts'
import { type AccountRules, plainNumber } from './statement/header.ts'

const Strict = { additionalProperties: false }
const FileName = Type.String({ minLength: 1, maxLength: 500 })
const Amount = Type.String({ pattern: '^[0-9]{1,12}([.][0-9]{1,2})?$' })
const RAIL = Type.Partial(
  Type.Object({ localInstrument: Type.String({ minLength: 1, maxLength: 35 }), min: Amount, max: Amount }, Strict),
)

const SETUP = Type.Object(
  {
    /** Where the bank's transport brings and fetches files; see docs/BOOKS.md. */
    folder: FileName,
    accounts: Type.Array(
      Type.Object(
        {
          /** What the books call it: `reserve:main`. */
          key: Type.String({ pattern: '^[a-z][a-z0-9-]{0,30}$' }),
          bic: Type.String({ pattern: '^[A-Z0-9]{8}([A-Z0-9]{3})?$' }),
          account: Type.String({ pattern: '^[0-9]{5,17}$' }),
          name: Type.String({ minLength: 1, maxLength: 70 }),
        },
        Strict,
      ),
      { minItems: 1, maxItems: 50 },
    ),
    /** How the bank's CSV statements are read, if it sends any. */
    csv: Type.Optional(FileName),
    /** How payment files are written, for PAYOUT_RAIL=bank_files. */
    payments: Type.Optional(
      Type.Object(
        {
          prefix: Type.String({ pattern: '^[A-Z0-9]{1,12}$' }),
          /** The key of the account that pays. */
          from: Type.String({ minLength: 1, maxLength: 31 }),
          banks: FileName,
          calendar: FileName,
          /** The first of these that carries an amount is taken. */
          rails: Type.Array(Type.Enum([...RAILS]), { minItems: 1, maxItems: 3, uniqueItems: true }),
          rules: Type.Optional(Type.Partial(Type.Object({ duitnow: RAIL, ibg: RAIL, rentas: RAIL }, Strict))),
          residency: Type.Optional(Type.Object({ resident: FileName, nonResident: FileName }, Strict)),
        },
        Strict,
      ),
    ),
  },
  Strict,
)

/** One of the issuer's own accounts; `key` is what the books call it. */
export type OwnAccount = Account & { key: string }

export type PaymentSetup = {
  prefix: string
  from: OwnAccount
  profile: BankProfile
  calendar: Calendar
  rails: readonly BankRail[]
}

export type BankSetup = {
  folder: string
  accounts: readonly OwnAccount[]
  csv: CsvMapping | undefined
  payments: PaymentSetup | undefined
}

const readFile = jsonFileReader('The bank profile', SETUP)

/**
 * Reads a bank profile in the form of docs/samples/bank-profile.json.
 * @param readText reads a file that the profile names
 */
export function parseBankSetup(text: string, readText: (name: string) => string): Reading<BankSetup> {
  const file = readFile(text)
  if (!file.ok) return file
  return catchRefusal(() => {
    const { folder, accounts, csv, payments } = file.value
    refuseDoubled(accounts)
    return {
      folder,
      accounts,
      csv: csv === undefined ? undefined : opened(parseCsvMapping(readText(csv))),
      payments: payments === undefined ? undefined : readPayments(payments, accounts, readText),
    }
  })
}

/** Whose statements are read. */
export function accountRulesOf({ accounts }: Pick<BankSetup, 'accounts'>): AccountRules {
  return { ownAccounts: new Set(accounts.map(({ account }) => account)), timeZone: BANK_TIME_ZONE }
}

/** What the books call an account of ours. @throws a refusal, `foreign` */
export function keyOfAccount({ accounts }: Pick<BankSetup, 'accounts'>, number: string): string {
  const found = accounts.find(({ account }) => account === number)
  return found?.key ?? refuse('foreign', `The account ${masked(number)} is not one of ours.`)
}

/** The key of another account of ours that a line says it came from or went to; null when it is none. Banks group digits. */
export function ownAccountOf(
  { accounts }: Pick<BankSetup, 'accounts'>,
  number: string | null,
  bankAccount: string,
): string | null {
  const digits = number?.replace(/[ .-]/g, '')
  const found = accounts.find(({ account, key }) => account === digits && key !== bankAccount)
  return found?.key ?? null
}

function refuseDoubled(accounts: readonly OwnAccount[]): void {
  for (const field of ['key', 'account'] as const) {
    if (new Set(accounts.map((one) => one[field])).size < accounts.length) {
      refuse('duplicated_id', `The bank profile: two accounts have the same ${field}.`)
    }
  }
  // One account, as a bank may write it in one kind of file: under two names its money would count twice.
  const plain = accounts.map(({ bic, account }) => `${bic.slice(0, 8)}/${plainNumber(account)}`)
  if (new Set(plain).size < accounts.length) {
    refuse(
      'duplicated_id',
      'The bank profile: two accounts of a bank do not differ other than by leading zeros. Give the account once, as the XML has it: a CSV may have it with more or fewer of them.',
    )
  }
}

type PaymentsFile = NonNullable<Static<typeof SETUP>['payments']>

function readPayments(
  file: PaymentsFile,
  accounts: readonly OwnAccount[],
  readText: (name: string) => string,
): PaymentSetup {
  const { prefix, rails, residency = RESIDENCY_WORDS } = file
  const from = accounts.find(({ key }) => key === file.from)
  if (from === undefined) return refuse('wrong_content', 'The bank profile: payments.from names no account of it.')
  const banks = opened(parseBankList(readText(file.banks)))
  checkAccount(from, banks)
  const calendar = opened(parseCalendar(readText(file.calendar)))
  return { prefix, from, calendar, rails, profile: { banks, rails: rulesOf(file.rules ?? {}), residency } }
}

function rulesOf(rules: NonNullable<PaymentsFile['rules']>): BankProfile['rails'] {
  const changes: Partial<Record<BankRail, Partial<RailRule>>> = {}
  for (const rail of RAILS) {
    const { localInstrument, min, max } = rules[rail] ?? {}
    changes[rail] = {
      ...(localInstrument === undefined ? {} : { localInstrument }),
      ...(min === undefined ? {} : { minSen: limitOf(rail, 'min', min) }),
      ...(max === undefined ? {} : { maxSen: limitOf(rail, 'max', max) }),
    }
  }
  try {
    return railRulesWith(changes)
  } catch (error) {
    if (error instanceof RangeError) return refuse('wrong_content', `The bank profile: ${error.message}`)
    throw error
  }
}

function limitOf(rail: BankRail, field: 'min' | 'max', text: string): bigint {
  const place = `The bank profile: payments.rules.${rail}.${field}`
  return (
    parseSen(text) ?? refuse('wrong_content', `${place} must be ringgit such as 50000 or 0.01, without leading zeros.`)
  )
}

function opened<T>(reading: Reading<T>): T {
  return reading.ok ? reading.value : refuse(reading.refusal.code, reading.refusal.sentence)
}
