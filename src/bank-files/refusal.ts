/** Why a bank file, or a payment for one, is not taken: a code for programs and a sentence for people. */

const FILE_REFUSALS = [
  /** Larger, deeper or longer than we read. */
  'too_large',
  /** Not XML, not UTF-8, truncated, with a document type, or not the CSV that its mapping declares. */
  'malformed',
  /** Well-formed, but not a message that this service reads. */
  'unknown_message',
  /** A required part is missing, doubled, or has a value that its definition does not allow. */
  'wrong_content',
  /** An amount in another currency than ringgit. */
  'wrong_currency',
  /** An amount that is not whole sen. */
  'wrong_amount',
  /** The counts or sums that the file states are not those of its lines. */
  'inconsistent_sums',
  /** The opening balance and the lines do not add up to the closing balance, or a balance is missing. */
  'does_not_balance',
  /** An id that must be unique occurs twice. */
  'duplicated_id',
  /** Two parts of a file say different things about the same payment. */
  'contradiction',
  /** About an account, or a message, that is not ours. */
  'foreign',
  /** One page of several. */
  'not_complete',
  /** Known already: the same content, or different content under a known message id. */
  'repeated',
  /** A payment that no bank would carry out as it stands. */
  'unpayable',
] as const
export type FileRefusalCode = (typeof FILE_REFUSALS)[number]

/** `sentence` never holds a whole account number. */
export type FileRefusal = { code: FileRefusalCode; sentence: string }

export type Reading<T> = { ok: true; value: T } | { ok: false; refusal: FileRefusal }

/** Carries a refusal out of nested readers; never leaves this room. */
class Refused extends Error {
  readonly refusal: FileRefusal
  constructor(refusal: FileRefusal) {
    super(refusal.sentence)
    this.name = 'Refused'
    this.refusal = refusal
  }
}

/** A file that can be taken in only when something else was: it stays where it is until then. Its message says what it waits for. */
export class FileWaitsError extends Error {}

/** Ends the reading of a file. Nothing of it is used. */
export function refuse(code: FileRefusalCode, sentence: string): never {
  throw new Refused({ code, sentence })
}

/** Runs a reader that may `refuse`. Any other error is our own mistake and is rethrown. */
export function catchRefusal<T>(read: () => T): Reading<T> {
  try {
    return { ok: true, value: read() }
  } catch (error) {
    if (error instanceof Refused) return { ok: false, refusal: error.refusal }
    throw error
  }
}

/** Quotes at most 40 printable characters of what was found, so that no file can fill a log. */
export function quoted(text: string): string {
  const printable = text.replace(/[^\x20-\x7e]/g, '?')
  return `"${printable.length > 40 ? `${printable.slice(0, 40)}…` : printable}"`
}

/** The name of an element as messages may show it: files choose it. */
export function tagged(name: string): string {
  return `<${quoted(name).slice(1, -1)}>`
}

/** An account number as messages may show it: its last four digits. */
export function masked(account: string): string {
  return `…${account.slice(-4).replace(/[^\w]/g, '?')}`
}
