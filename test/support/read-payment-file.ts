/**
 * A payment file as it was written, read back whole and with the checks of its writing: what a bank makes of it, and a test. The service itself reads
 * what went out by `readSentFile`, which asks for less.
 */
import { type FileIdentity, openMessage } from '../../src/bank-files/definitions.ts'
import { checkPaymentFile, type PaymentFile } from '../../src/bank-files/payment-file/file.ts'
import type { Account, BankProfile } from '../../src/bank-files/payment-file/payment.ts'
import { readSentFile } from '../../src/bank-files/payment-file/read.ts'
import { type BankRail, RAILS } from '../../src/bank-files/rails.ts'
import { catchRefusal, quoted, type Reading, refuse } from '../../src/bank-files/refusal.ts'
import { child, children, textIn } from '../../src/bank-files/xml/element.ts'
import { parseXml, type XmlElement } from '../../src/bank-files/xml/parse.ts'

export type ReadPaymentFile = PaymentFile & { identity: FileIdentity }

/** Reads one of our own payment files; everything else is refused. */
export function readPaymentFile(bytes: Uint8Array, profile: BankProfile): Reading<ReadPaymentFile> {
  const sent = readSentFile(bytes, profile)
  if (!sent.ok) return sent
  return catchRefusal(() => {
    const { identity, body } = openMessage(parseXml(bytes), bytes)
    const elements = children(body, 'PmtInf')
    const file = {
      ...sent.value,
      createdAt: new Date(identity.createdAt),
      initiatingParty: textIn(child(child(body, 'GrpHdr'), 'InitgPty'), 'Nm', 140),
      sections: sent.value.sections.map((section, index) => {
        const element = elements[index] ?? refuse('wrong_content', 'A section is missing.')
        for (const payment of children(element, 'CdtTrfTxInf')) checkResidency(payment, profile)
        const word = textIn(child(child(element, 'PmtTpInf'), 'LclInstrm'), 'Prtry', 35)
        return { ...section, rail: railOf(word, profile), debtor: readDebtor(element) }
      }),
    }
    checkPaymentFile(file, profile)
    return file
  })
}

function railOf(word: string, { rails }: BankProfile): BankRail {
  const rail = RAILS.find((one) => rails[one].localInstrument === word)
  return rail ?? refuse('wrong_content', `No rail is called ${quoted(word)}.`)
}

function checkResidency(payment: XmlElement, { residency }: BankProfile): void {
  const word = textIn(child(child(payment, 'RgltryRptg'), 'Dtls'), 'Inf', 35)
  if (word !== residency.resident && word !== residency.nonResident) {
    refuse('wrong_content', `${quoted(word)} does not say whether the payee is a resident.`)
  }
}

function readDebtor(section: XmlElement): Account {
  return {
    bic: textIn(child(child(section, 'DbtrAgt'), 'FinInstnId'), 'BICFI', 11),
    account: textIn(child(child(child(section, 'DbtrAcct'), 'Id'), 'Othr'), 'Id', 34),
    name: textIn(child(section, 'Dbtr'), 'Nm', 140),
  }
}
