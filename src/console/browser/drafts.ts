/**
 * What somebody had filled in when their session ended: it is there again when the same person opens the same dialog, once they are signed in. Kept in this
 * page alone; never what is a secret, nor a file.
 */
import type { Field } from './field.ts'

type Draft = { person: string; about: string; filled: ReadonlyMap<string, string> }
type About = { command: string; target: string; label: string }

let open: { about: string; read: () => ReadonlyMap<string, string> } | undefined
let kept: Draft | undefined

const nameOf = ({ command, target, label }: About) => JSON.stringify([command, target, label])

/** The dialog that is open and asks for something; undefined when none does. */
export function asks(about: About | undefined, read: () => ReadonlyMap<string, string> = () => new Map()): void {
  open = about === undefined ? undefined : { about: nameOf(about), read }
}

/** Keeps what the open dialog has of this person. */
export function keepDraft(person: string | undefined): void {
  if (open === undefined || person === undefined) return
  kept = { person, about: open.about, filled: open.read() }
}

/** Somebody is signed in: what somebody else had filled in is gone. */
export function forgetDraftsBut(person: string): void {
  if (kept?.person !== person) kept = undefined
}

/** What a form has that may be kept: only what was typed, as what was there before may be changed by somebody else meanwhile. */
export function readForm(form: HTMLFormElement, fields: readonly Field[]): ReadonlyMap<string, string> {
  const data = new FormData(form)
  const texts = fields.filter(({ type }) => type !== 'password' && type !== 'file')
  const typed = texts.map(({ name }) => [name, String(data.get(name) ?? '')] as const)
  return new Map(typed.filter(([, text], index) => text !== (texts[index]?.value ?? texts[index]?.options?.[0] ?? '')))
}

/** The fields of a dialog, with what had been filled in before the session ended. It is taken once. */
export function withDraft(about: About, fields: readonly Field[]): readonly Field[] {
  if (kept?.about !== nameOf(about)) return fields
  const { filled } = kept
  kept = undefined
  return fields.map((field) => ({ ...field, value: filled.get(field.name) ?? field.value ?? '' }))
}
