/**
 * Bytes → a tree of elements, within bounds. Strict: a file that is not well-formed to the last byte is refused, and so
 * is every document type, so that no entity but XML's own five is ever expanded.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes'
import { quoted, refuse, tagged } from '../refusal.ts'
import { decodeUtf8 } from '../utf8.ts'

export type XmlElement = {
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  /** Character data, trimmed; empty when there are children. */
  text: string
}

export type XmlDocument = { namespace: string; root: XmlElement }

export type XmlBounds = { maxBytes: number; maxElements: number; maxDepth: number; maxAttributes: number }

/** Enough for about 13,000 statement lines, which take some 2 s and 400 MB and block their thread meanwhile. */
export const XML_BOUNDS: XmlBounds = { maxBytes: 16 * 2 ** 20, maxElements: 500_000, maxDepth: 32, maxAttributes: 16 }

const CHUNK = 64 * 1024

/** @throws a refusal: `too_large` or `malformed` */
export function parseXml(bytes: Uint8Array, bounds: XmlBounds = XML_BOUNDS): XmlDocument {
  if (bytes.byteLength > bounds.maxBytes) refuse('too_large', `The file has more than ${bounds.maxBytes} bytes.`)
  const text = decodeUtf8(bytes)
  const tree = createTree(bounds)
  const parser = new SaxesParser({ xmlns: true, position: true })
  parser.on('error', (error) => refuse('malformed', `The file is not well-formed XML: ${cause(error)}.`))
  parser.on('doctype', () => refuse('malformed', 'The file has a document type (DTD), which bank files never need.'))
  parser.on('xmldecl', ({ encoding }) => {
    if (encoding !== undefined && encoding.toUpperCase() !== 'UTF-8') {
      refuse('malformed', `The file declares the encoding ${quoted(encoding)}; only UTF-8 is read.`)
    }
  })
  parser.on('opentag', tree.open)
  parser.on('text', tree.text)
  parser.on('cdata', tree.text)
  parser.on('closetag', tree.close)
  for (let at = 0; at < text.length; at += CHUNK) parser.write(text.slice(at, at + CHUNK))
  parser.close()
  return tree.document()
}

function cause(error: Error): string {
  return quoted(error.message.replace(/\.$/, '')).slice(1, -1)
}

/** Elements of other namespaces keep their namespace in the name, so that no reader takes them for its own. */
function createTree(bounds: XmlBounds) {
  const open: XmlElement[] = []
  let count = 0
  let root: XmlDocument | undefined
  return {
    open(tag: SaxesTagNS): void {
      count += 1
      if (count > bounds.maxElements) refuse('too_large', `The file has more than ${bounds.maxElements} elements.`)
      if (open.length >= bounds.maxDepth) refuse('too_large', `Elements are nested more than ${bounds.maxDepth} deep.`)
      const attributes = Object.values(tag.attributes)
      if (attributes.length > bounds.maxAttributes) refuse('too_large', `${tagged(tag.local)} has too many attributes.`)
      const isOwn = root === undefined || tag.uri === root.namespace
      const element: XmlElement = {
        name: isOwn ? tag.local : `{${tag.uri}}${tag.local}`,
        attributes: new Map(attributes.flatMap(({ uri, local, value }) => (uri === '' ? [[local, value]] : []))),
        children: [],
        text: '',
      }
      root ??= { namespace: tag.uri, root: element }
      open.at(-1)?.children.push(element)
      open.push(element)
    },
    text(text: string): void {
      const element = open.at(-1)
      if (element !== undefined) element.text += text
    },
    close(): void {
      const element = open.pop()
      if (element === undefined) return
      element.text = element.text.trim()
      if (element.children.length > 0 && element.text !== '') {
        refuse('malformed', `${tagged(element.name)} mixes text and elements.`)
      }
    },
    document: (): XmlDocument => root ?? refuse('malformed', 'The file is empty.'),
  }
}
