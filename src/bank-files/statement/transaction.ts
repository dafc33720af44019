/** `TxDtls` → what a line says: ids, text, the other party, the reason for a return. */
import { type Definition, isPlain } from '../definitions.ts'
import { children, optionalChild, optionalPath, optionalText, textsIn } from '../xml/element.ts'
import type { XmlElement } from '../xml/parse.ts'
import { accountOf } from '../xml/values.ts'
import { type Counterparty, type Direction, givenId, type ReturnReason, type StatementLine } from './statement.ts'

/** `asBooked`: an entry counts as the bank booked it, whatever its transactions say. */
export type EntryContext = { definition: Definition; timeZone: string; asBooked?: boolean }

/** What all lines of an entry share. */
export type Shared = Pick<
  StatementLine,
  'entry' | 'bookedOn' | 'valueOn' | 'isReversal' | 'servicerReference' | 'additionalText' | 'transactionCode'
>

type OwnFields = Omit<StatementLine, keyof Shared | 'detail' | 'direction' | 'amountSen' | 'bookedTogether'>

/**
 * What a transaction says; its own reference, code and words take precedence over those of the entry.
 * @param entryCode the bank's transaction code of the entry
 */
export function readTransaction(
  transaction: XmlElement | undefined,
  direction: Direction,
  { definition, entryCode }: EntryContext & { entryCode: string | null },
): OwnFields & Partial<Shared> {
  const references = optionalPath(transaction, 'Refs')
  const servicerReference = givenId(optionalText(references, 35, 'AcctSvcrRef'))
  const additionalText = optionalText(transaction, 500, 'AddtlTxInf')
  const transactionCode = transactionCodeOf(optionalPath(transaction, 'BkTxCd')) ?? entryCode
  return {
    transactionCode,
    ...(servicerReference === null ? {} : { servicerReference }),
    ...(additionalText === null ? {} : { additionalText }),
    endToEndId: givenId(optionalText(references, 35, 'EndToEndId')),
    instructionId: givenId(optionalText(references, 35, 'InstrId')),
    paymentFileId: givenId(optionalText(references, 35, 'MsgId')),
    sectionId: givenId(optionalText(references, 35, 'PmtInfId')),
    ...remittanceOf(optionalPath(transaction, 'RmtInf')),
    counterparty: counterpartyOf(transaction, direction, definition),
    returned: returnOf(optionalPath(transaction, 'RtrInf')) ?? codedReturnOf(transactionCode),
  }
}

/** The remitter of a credit, the payee of a debit. Versions up to 6 write parties directly, later ones below `Pty`. */
function counterpartyOf(
  transaction: XmlElement | undefined,
  direction: Direction,
  definition: Definition,
): Counterparty {
  const parties = optionalPath(transaction, 'RltdPties')
  const role = direction === 'credit' ? 'Dbtr' : 'Cdtr'
  const party = isPlain(definition) ? [role] : [role, 'Pty']
  return {
    name: optionalText(optionalPath(parties, ...party), 140, 'Nm'),
    account: accountOf(optionalPath(parties, `${role}Acct`)),
  }
}

/** The reason that ISO 20022 gives to what is said in words alone. */
const IN_WORDS = 'NARR'

/** A return may name no reason, but its words, or what the payment was that is given back. Where it says nothing at all, it is none. */
function returnOf(information: XmlElement | undefined): ReturnReason | null {
  if (information === undefined) return null
  const reason = optionalChild(information, 'Rsn')
  const texts = textsIn(information, 'AddtlInf', 105)
  const code = optionalText(reason, 4, 'Cd') ?? optionalText(reason, 35, 'Prtry')
  const isSaid =
    code !== null || texts.length > 0 || transactionCodeOf(optionalChild(information, 'OrgnlBkTxCd')) !== null
  return isSaid ? { code: code ?? IN_WORDS, text: texts.length === 0 ? null : texts.join(' ') } : null
}

/** A credit transfer that was paid and is given back: returned by the payee's bank (`RRTN`; `ARET`, `AREV` of a clearing house such as IBG's), or recalled (`RPCR`). */
const GIVEN_BACK = /^PMNT\/(?:ICDT|RCDT|IRCT|RRCT)\/(?:RRTN|RPCR|ARET|AREV)$/

/** Some banks say by the code alone that a payment came back. */
function codedReturnOf(transactionCode: string | null): ReturnReason | null {
  return GIVEN_BACK.test(transactionCode ?? '') ? { code: IN_WORDS, text: null } : null
}

/** Longer than the definitions allow: what only helps to find a mint keeps no statement out. */
const MAX_WORDS = 2_000

function remittanceOf(
  information: XmlElement | undefined,
): Pick<StatementLine, 'remittanceText' | 'creditorReference'> {
  if (information === undefined) return { remittanceText: '', creditorReference: null }
  const structured = children(information, 'Strd')
  const references = structured.flatMap((one) => optionalText(one, 35, 'CdtrRefInf', 'Ref') ?? [])
  // A payer's reference stands in any of these: as an invoice's number, and in words beside it.
  const words = structured.flatMap((one) => [
    ...children(one, 'RfrdDocInf').flatMap((document) => optionalText(document, MAX_WORDS, 'Nb') ?? []),
    ...textsIn(one, 'AddtlRmtInf', MAX_WORDS),
  ])
  return {
    remittanceText: [...textsIn(information, 'Ustrd', 140), ...words].join(' '),
    creditorReference: references.length === 0 ? null : references.join(' '),
  }
}

/** `PMNT/RCDT/DMCT`, or the bank's own code, or null. */
export function transactionCodeOf(code: XmlElement | undefined): string | null {
  const domain = optionalPath(code, 'Domn')
  if (domain === undefined) return optionalText(code, 35, 'Prtry', 'Cd')
  const family = optionalPath(domain, 'Fmly')
  const parts = [optionalText(domain, 4, 'Cd'), optionalText(family, 4, 'Cd'), optionalText(family, 4, 'SubFmlyCd')]
  return parts.filter((part) => part !== null).join('/')
}
