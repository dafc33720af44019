/** Reads an element: children that must or may occur once, and text in its required form. */
import { quoted, refuse } from '../refusal.ts'
import type { XmlElement } from './parse.ts'

/** The child of that name, or undefined. @throws a refusal when there are two, because choosing one would be a guess */
export function optionalChild(parent: XmlElement, name: string): XmlElement | undefined {
  const found = parent.children.filter((child) => child.name === name)
  if (found.length > 1) refuse('wrong_content', `<${parent.name}> has <${name}> more than once.`)
  return found[0]
}

/** The one child of that name. @throws a refusal when it is missing or doubled */
export function child(parent: XmlElement, name: string): XmlElement {
  return optionalChild(parent, name) ?? refuse('wrong_content', `<${parent.name}> has no <${name}>.`)
}

/** All children of that name, in order. */
export function children(parent: XmlElement, name: string): XmlElement[] {
  return parent.children.filter((one) => one.name === name)
}

/** Follows a path of single children; undefined as soon as one is missing. @throws a refusal when one is doubled */
export function optionalPath(parent: XmlElement | undefined, ...names: string[]): XmlElement | undefined {
  let at = parent
  for (const name of names) at = at === undefined ? undefined : optionalChild(at, name)
  return at
}

/** The text of an element that holds nothing else. @throws a refusal when it is empty or too long */
export function textOf(element: XmlElement, maxLength: number): string {
  if (element.children.length > 0) refuse('wrong_content', `<${element.name}> must hold text only.`)
  if (element.text === '') refuse('wrong_content', `<${element.name}> is empty.`)
  if (element.text.length > maxLength)
    refuse('wrong_content', `<${element.name}> is longer than ${maxLength} characters.`)
  return element.text
}

/** The text of the one child of that name. @throws a refusal as `child` and `textOf` do */
export function textIn(parent: XmlElement, name: string, maxLength: number): string {
  return textOf(child(parent, name), maxLength)
}

/** The text at the end of a path of single children, or null when one is missing, or the last is empty: some banks write what they have nothing for. */
export function optionalText(parent: XmlElement | undefined, maxLength: number, ...names: string[]): string | null {
  const element = optionalPath(parent, ...names)
  return element === undefined || saysNothing(element) ? null : textOf(element, maxLength)
}

/** The texts of all children of that name that are not empty, in order. */
export function textsIn(parent: XmlElement, name: string, maxLength: number): string[] {
  return children(parent, name)
    .filter((one) => !saysNothing(one))
    .map((one) => textOf(one, maxLength))
}

function saysNothing({ text, children }: XmlElement): boolean {
  return text === '' && children.length === 0
}

/** A count of 1 to 15 digits, as the definitions allow; a number beyond 2^53 is refused too. */
export function countOf(element: XmlElement): number {
  const text = textOf(element, 15)
  if (!/^\d{1,15}$/.test(text)) refuse('wrong_content', `<${element.name}> is not a count: ${quoted(text)}.`)
  return Number(text)
}

/** `true`, `false`, `1` or `0`. */
export function flagOf(element: XmlElement): boolean {
  const text = textOf(element, 5)
  if (text === 'true' || text === '1') return true
  if (text === 'false' || text === '0') return false
  return refuse('wrong_content', `<${element.name}> is neither true nor false: ${quoted(text)}.`)
}
