/** Elements → XML text. */

/** An element: name, attributes or null, and its content: text or elements. Undefined and null are left out. */
export type XmlNode = readonly [name: string, content: XmlContent, attributes?: Readonly<Record<string, string>>]
export type XmlContent = string | readonly (XmlNode | undefined | null)[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
}

/**
 * A document with its declaration; `root` names its namespace in the attribute `xmlns`. Indented by two blanks a level,
 * with LF line ends.
 */
export function writeXml(root: XmlNode): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${lines(root, '').join('\n')}\n`
}

function lines([name, content, attributes = {}]: XmlNode, indent: string): string[] {
  const opening = [name, ...Object.entries(attributes).map(([key, value]) => `${key}="${escaped(value)}"`)].join(' ')
  if (typeof content === 'string') return [`${indent}<${opening}>${escaped(content)}</${name}>`]
  const inner = content.filter((node) => node !== undefined && node !== null)
  return [`${indent}<${opening}>`, ...inner.flatMap((node) => lines(node, `${indent}  `)), `${indent}</${name}>`]
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? character)
}
