/** The ISO 20022 messages that are read or written, and what each file says about itself. */
import { createHash } from 'node:crypto'
import { quoted, refuse, tagged } from './refusal.ts'
import { child, textIn } from './xml/element.ts'
import type { XmlDocument, XmlElement } from './xml/parse.ts'
import { dateTimeOf } from './xml/values.ts'

const NAMESPACE = 'urn:iso:std:iso:20022:tech:xsd:'

/** Definition → the element below `Document`. */
const DEFINITIONS = {
  'pain.001.001.09': 'CstmrCdtTrfInitn',
  'pain.002.001.03': 'CstmrPmtStsRpt',
  'pain.002.001.10': 'CstmrPmtStsRpt',
  'camt.053.001.02': 'BkToCstmrStmt',
  'camt.053.001.08': 'BkToCstmrStmt',
  'camt.054.001.08': 'BkToCstmrDbtCdtNtfctn',
} as const
export type Definition = keyof typeof DEFINITIONS

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
      `The file is ${tagged(root.name)} of ${quoted(isIso ? definition : namespace)}; we read only ${Object.keys(DEFINITIONS).join(', ')}.`,
    )
  }
  const body = child(root, DEFINITIONS[definition])
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
  return Object.hasOwn(DEFINITIONS, text)
}
