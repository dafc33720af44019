/** The ISO 20022 messages that are read or written, and what each file says about itself. */
import { createHash } from 'node:crypto'
import { quoted, refuse, tagged } from './refusal.ts'
import { child, textIn } from './xml/element.ts'
import type { XmlDocument, XmlElement } from './xml/parse.ts'
import { dateTimeOf } from './xml/values.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'

const CAMT_VERSIONS = ['02', '03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13'] as const
const REPORT_VERSIONS = ['03', '04', '05', '06', '07', '08', '09', '10', '11', '12', '13', '14'] as const

/** Message → what it is to us, the element below `Document`, and the versions of it that we know. */
const MESSAGES = {
  'pain.001.001': { kind: 'payment_file', root: 'CstmrCdtTrfInitn', versions: ['09'] },
  'pain.002.001': { kind: 'status_report', root: 'CstmrPmtStsRpt', versions: REPORT_VERSIONS },
  'camt.053.001': { kind: 'statement', root: 'BkToCstmrStmt', versions: CAMT_VERSIONS },
  'camt.054.001': { kind: 'notification', root: 'BkToCstmrDbtCdtNtfctn', versions: CAMT_VERSIONS },
} as const
type Messages = typeof MESSAGES
type MessageName = keyof Messages
export type Definition = { [Name in MessageName]: `${Name}.${Messages[Name]['versions'][number]}` }[MessageName]
const WE_READ = 'camt.053 and camt.054 in versions 02 to 13, and pain.002 in versions 03 to 14'

/** The last version of camt.053 and camt.054 in which an entry's status and a party are written directly, not as a choice. */
const LAST_PLAIN_VERSION = '06'

/** What a message is to us. */
export function kindOf(definition: Definition): Messages[MessageName]['kind'] {
  return MESSAGES[nameOf(definition)].kind
}

/** Whether a camt message writes an entry's status as a bare code, and a party without `Pty`. */
export function isPlain(definition: Definition): boolean {
  return definition.slice(-2) <= LAST_PLAIN_VERSION
}

function nameOf(definition: Definition): MessageName {
  return definition.slice(0, -3) as MessageName
}

/** A file's identity: what it is recognised by when it comes again. */
export type FileIdentity = {
  definition: Definition
  messageId: string
  /** As written in the file; without an offset it is the bank's own time. */
  createdAt: string
  /** SHA-256 of the bytes, hexadecimal. */
  contentHash: string
}

/** An opened file: its identity and the element that holds everything. */
export type Message = { identity: FileIdentity; body: XmlElement }

/** The namespace of a definition. */
export function namespaceOf(definition: Definition): string {
  return NAMESPACE + definition
}

/** SHA-256 of a file's bytes, hexadecimal. */
export function contentHashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** Which message a document is. @throws a refusal: `unknown_message`, `wrong_content` */
export function openMessage({ namespace, root }: XmlDocument, bytes: Uint8Array): Message {
  const definition = namespace.slice(NAMESPACE.length)
  if (root.name !== 'Document' || !namespace.startsWith(NAMESPACE) || !isDefinition(definition)) {
    // Of the long name the version is the end, which is what differs.
    const isIso = namespace.startsWith(NAMESPACE) && definition !== ''
    refuse(
      'unknown_message',
      `The file is ${tagged(root.name)} of ${quoted(isIso ? definition : namespace)}; we read ${WE_READ}.`,
    )
  }
  const body = child(root, MESSAGES[nameOf(definition)].root)
  const header = child(body, 'GrpHdr')
  const identity = {
    definition,
    messageId: textIn(header, 'MsgId', 35),
    createdAt: dateTimeOf(child(header, 'CreDtTm')),
    contentHash: contentHashOf(bytes),
  }
  return { identity, body }
}

function isDefinition(text: string): text is Definition {
  const [name, version] = [text.slice(0, -3), text.slice(-2)]
  return text.at(-3) === '.' && isMessage(name) && (MESSAGES[name].versions as readonly string[]).includes(version)
}

function isMessage(name: string): name is MessageName {
  return Object.hasOwn(MESSAGES, name)
}
