/** Request bodies: bytes → JSON object, stricter than JSON.parse. */
import { isUtf8 } from 'node:buffer'
import { visit } from 'jsonc-parser'
import { isExact, parseUnrounded } from './exact-number.ts'

const MAX_DEPTH = 32
/**
 * The most commas, or opening brackets, that a text of 64 KiB can have. A longer body is a bank file, in one field without any of them; another long
 * one must not keep the process busy for seconds.
 */
const MAX_PARTS = 64 * 1024
const PARTING = [',', '[', '{']

/**
 * Parses a request body.
 * @returns undefined for anything but one JSON object (RFC 8259) in UTF-8, of at most 32 levels and without duplicate
 *   keys, of no more parts than 64 KiB have, and for what RFC 7493 excludes because parsers disagree on it: lone surrogates, numbers beyond a double. A number of more
 *   digits than a double has is a `RoundedNumber`
 */
export function parseJsonObject(bytes: Uint8Array): Record<string, unknown> | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (PARTING.some((character) => isThereTooOften(text, character))) return undefined
  const value = parseObject(text)
  if (value === undefined || isPlain(text, value)) return value
  const structure = structureOf(text)
  if (structure === 'unacceptable') return undefined
  return structure === 'rounds' ? (parseUnrounded(text) as Record<string, unknown>) : value
}

/** What `parseJsonObject` has refused a text for, as a sentence for whoever sent it. Looked for only then. */
export function whyNoJsonObject(bytes: Uint8Array): string {
  if (!isUtf8(bytes)) return 'It is not UTF-8.'
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  if (text.startsWith('\ufeff')) return 'It begins with a byte order mark.'
  try {
    if (!isObject(JSON.parse(text))) return 'It is JSON, but no object.'
  } catch {
    return 'It is not JSON.'
  }
  return `It has a key twice in one object, more than ${MAX_DEPTH} levels, half of a surrogate pair, or a number beyond a double.`
}

function isThereTooOften(text: string, character: string): boolean {
  if (text.length <= MAX_PARTS) return false
  let count = 0
  for (let at = text.indexOf(character); at >= 0; at = text.indexOf(character, at + 1)) {
    count += 1
    if (count > MAX_PARTS) return true
  }
  return false
}

/** Undefined when the text is no JSON, or no object. What is no JSON costs no further look. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Whether the text is in the form that most clients send: one level, without blanks and escapes. What it means is written just as it was
 * sent, so that JSON.parse has hidden nothing: no key twice, no number beyond a double.
 */
function isPlain(text: string, value: Record<string, unknown>): boolean {
  if (text.includes('\\')) return false
  for (const name in value) if (typeof value[name] === 'object' && value[name] !== null) return false
  return JSON.stringify(value) === text
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Finds what JSON.parse hides: what is not accepted, and numbers that it rounds. @param text JSON */
function structureOf(text: string): 'plain' | 'rounds' | 'unacceptable' {
  const keysOfOpenObjects: Set<string>[] = []
  let depth = 0
  let rounds = false
  const open = () => {
    depth += 1
    mustHold(depth <= MAX_DEPTH)
  }
  const close = () => {
    depth -= 1
  }
  try {
    visit(text, {
      onObjectBegin: () => {
        open()
        keysOfOpenObjects.push(new Set())
      },
      onObjectProperty: (key) => {
        const keys = keysOfOpenObjects.at(-1)
        mustHold(keys !== undefined && !keys.has(key) && key.isWellFormed())
        keys?.add(key)
      },
      onObjectEnd: () => {
        keysOfOpenObjects.pop()
        close()
      },
      onArrayBegin: open,
      onArrayEnd: close,
      onLiteralValue: (value, offset, length) => {
        mustHold(typeof value !== 'number' || Number.isFinite(value))
        if (typeof value === 'number') rounds ||= !isExact(text.slice(offset, offset + length), value)
        mustHold(typeof value !== 'string' || value.isWellFormed())
      },
    })
    return rounds ? 'rounds' : 'plain'
  } catch (error) {
    if (error instanceof Unacceptable) return 'unacceptable'
    throw error
  }
}

/** Leaves the visitor at once: it recurses, and must not follow a depth that would exhaust the stack. */
class Unacceptable extends Error {}

function mustHold(holds: boolean): void {
  if (!holds) throw new Unacceptable()
}
