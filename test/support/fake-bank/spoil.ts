/** Ways in which a bank's file goes wrong, on its way or at its source, each with the refusal that must follow. */
import type { FileRefusalCode } from '../../../src/bank-files/refusal.ts'

type Spoil = { codes: readonly FileRefusalCode[]; spoil(xml: string): string }

/** Ways to spoil any file. */
export const SPOILS = {
  truncated: { codes: ['malformed'], spoil: (xml) => xml.slice(0, Math.floor(xml.length * 0.7)) },
  'cut before the last element': {
    codes: ['malformed'],
    spoil: (xml) => xml.trimEnd().slice(0, -'</Document>'.length),
  },
  'something after the end': { codes: ['malformed'], spoil: (xml) => `${xml}<more/>` },
  'two files in one': { codes: ['malformed'], spoil: (xml) => xml + xml.replace(/^<\?xml.*\?>/, '') },
  'not UTF-8': { codes: ['malformed'], spoil: (xml) => xml.replace('encoding="UTF-8"', 'encoding="ISO-8859-1"') },
  'entity expansion': {
    codes: ['malformed'],
    spoil: (xml) =>
      xml.replace('<Document', '<!DOCTYPE Document [<!ENTITY a "aaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>\n<Document'),
  },
  'external entity': {
    codes: ['malformed'],
    spoil: (xml) =>
      xml.replace('<Document', '<!DOCTYPE Document [<!ENTITY x SYSTEM "file:///etc/hostname">]>\n<Document'),
  },
  'undeclared entity': { codes: ['malformed'], spoil: (xml) => xml.replace(/<MsgId>/, '<MsgId>&nbsp;') },
  'bare ampersand': { codes: ['malformed'], spoil: (xml) => xml.replace(/<MsgId>/, '<MsgId>A & B') },
  'control character': { codes: ['malformed'], spoil: (xml) => xml.replace(/<MsgId>/, '<MsgId>\u0001') },
  'text between elements': { codes: ['malformed'], spoil: (xml) => xml.replace('</GrpHdr>', '</GrpHdr>7') },
  'another version': {
    codes: ['unknown_message'],
    spoil: (xml) => xml.replace(/(xsd:[a-z]+\.\d{3}\.\d{3}\.)\d\d/, '$199'),
  },
  'no namespace': { codes: ['unknown_message'], spoil: (xml) => xml.replace(/ xmlns="[^"]*"/, '') },
  'no message id': { codes: ['wrong_content'], spoil: (xml) => xml.replace(/<MsgId>.*?<\/MsgId>/, '') },
  'two message ids': { codes: ['wrong_content'], spoil: (xml) => xml.replace(/<MsgId>.*?<\/MsgId>/, '$&$&') },
  'no header': { codes: ['wrong_content'], spoil: (xml) => xml.replace(/<GrpHdr>[\s\S]*?<\/GrpHdr>/, '') },
  'a time that does not exist': {
    codes: ['wrong_content'],
    spoil: (xml) => xml.replace(/<CreDtTm>.*?</, '<CreDtTm>2026-02-30T10:00:00Z<'),
  },
  'nested too deep': {
    codes: ['too_large'],
    spoil: (xml) => xml.replace('</GrpHdr>', `${'<X>'.repeat(40)}${'</X>'.repeat(40)}</GrpHdr>`),
  },
} as const satisfies Record<string, Spoil>

/** Ways to spoil a file with amounts, which must have `<Amt Ccy` or `<InstdAmt Ccy`. */
export const AMOUNT_SPOILS = {
  'another currency': { codes: ['wrong_currency'], spoil: (xml) => xml.replace('Ccy="MYR"', 'Ccy="SGD"') },
  'no currency': { codes: ['wrong_currency'], spoil: (xml) => xml.replace(' Ccy="MYR"', '') },
  'three decimals': { codes: ['wrong_amount'], spoil: (xml) => xml.replace(/(Ccy="MYR">\d+\.\d\d)/, '$15') },
  'negative amount': { codes: ['wrong_amount'], spoil: (xml) => xml.replace(/Ccy="MYR">/, 'Ccy="MYR">-') },
  'thousands separator': { codes: ['wrong_amount'], spoil: (xml) => xml.replace(/Ccy="MYR">(\d+)/, 'Ccy="MYR">1,$1') },
  exponent: { codes: ['wrong_amount'], spoil: (xml) => xml.replace(/Ccy="MYR">\d+\.\d\d/, 'Ccy="MYR">1e3') },
  'amount split by an element': { codes: ['malformed'], spoil: (xml) => xml.replace(/(Ccy="MYR">\d)/, '$1<X/>') },
} as const satisfies Record<string, Spoil>

/** Ways to spoil a statement that has lines. */
export const STATEMENT_SPOILS = {
  'no opening balance': { codes: ['does_not_balance'], spoil: (xml) => xml.replace(/<Bal>[\s\S]*?<\/Bal>/, '') },
  'no closing balance': { codes: ['does_not_balance'], spoil: (xml) => xml.replace('CLBD', 'CLAV') },
  'two closing balances': { codes: ['does_not_balance'], spoil: (xml) => xml.replace('OPBD', 'CLBD') },
  'the closing balance twice': {
    codes: ['does_not_balance'],
    spoil: (xml) => xml.replace(/(<Bal>(?:(?!<Bal>)[\s\S])*?CLBD[\s\S]*?<\/Bal>)/, '$1$1'),
  },
  'a line lost': {
    codes: ['inconsistent_sums', 'does_not_balance'],
    spoil: (xml) => xml.replace(/<Ntry>[\s\S]*?<\/Ntry>/, ''),
  },
  'a line lost without a summary': {
    codes: ['does_not_balance'],
    spoil: (xml) => xml.replace(/<TxsSummry>[\s\S]*?<\/TxsSummry>/, '').replace(/<Ntry>[\s\S]*?<\/Ntry>/, ''),
  },
  'a line doubled': { codes: ['duplicated_id'], spoil: (xml) => xml.replace(/<Ntry>[\s\S]*?<\/Ntry>/, '$&$&') },
  'a wrong count': { codes: ['inconsistent_sums'], spoil: (xml) => xml.replace(/<NbOfNtries>/, '<NbOfNtries>9') },
  'a wrong sum': { codes: ['inconsistent_sums'], spoil: (xml) => xml.replace(/<Sum>/, '<Sum>9') },
  'a credit called a debit': {
    codes: ['inconsistent_sums', 'does_not_balance'],
    spoil: (xml) =>
      xml.replace(
        /(<Ntry>[\s\S]*?<CdtDbtInd>)(CRDT|DBIT)/,
        (_, before, code) => `${before}${code === 'CRDT' ? 'DBIT' : 'CRDT'}`,
      ),
  },
  'an entry that is not booked': {
    codes: ['does_not_balance', 'inconsistent_sums'],
    spoil: (xml) => xml.replace('BOOK', 'PDNG'),
  },
  'an entry of an unknown status': { codes: ['wrong_content'], spoil: (xml) => xml.replace('BOOK', 'XXXX') },
  'a foreign account': {
    codes: ['foreign'],
    spoil: (xml) => xml.replace(/(<Acct>[\s\S]*?<Id>)(\d+)/, '$1999999999999'),
  },
  'the second page': {
    codes: ['not_complete'],
    spoil: (xml) => xml.replace('</GrpHdr>', '<MsgPgntn><PgNb>2</PgNb><LastPgInd>true</LastPgInd></MsgPgntn></GrpHdr>'),
  },
  'one page of two': {
    codes: ['not_complete'],
    spoil: (xml) =>
      xml.replace('</GrpHdr>', '<MsgPgntn><PgNb>1</PgNb><LastPgInd>false</LastPgInd></MsgPgntn></GrpHdr>'),
  },
} as const satisfies Record<string, Spoil>

/** Ways to spoil a status report that lists at least two payments. */
export const REPORT_SPOILS = {
  'a payment twice': {
    codes: ['duplicated_id'],
    spoil: (xml) => xml.replace(/<TxInfAndSts>[\s\S]*?<\/TxInfAndSts>/, '$&$&'),
  },
  'about another kind of message': {
    codes: ['foreign'],
    spoil: (xml) => xml.replace('>pain.001.001.09<', '>pain.008.001.02<'),
  },
  'more payments than it counts': {
    codes: ['inconsistent_sums'],
    spoil: (xml) => xml.replace(/<OrgnlNbOfTxs>\d+</, '<OrgnlNbOfTxs>1<'),
  },
  'a whole rejected, its parts not': {
    codes: ['contradiction'],
    spoil: (xml) => xml.replace(/<GrpSts>\w+</, '<GrpSts>RJCT<'),
  },
  'a payment without a name': {
    codes: ['wrong_content'],
    spoil: (xml) => xml.replace(/<OrgnlInstrId>.*?<\/OrgnlInstrId>\s*<OrgnlEndToEndId>.*?<\/OrgnlEndToEndId>/, ''),
  },
} as const satisfies Record<string, Spoil>
