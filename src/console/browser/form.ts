/** What a dialog asks for: its fields, and what was filled in. */
import type { Field } from './field.ts'
import { html, type View } from './view.ts'

export type { Field }

export const REASON: Field = { name: 'reason', label: 'Reason, for the audit log', long: true }

export function Input({
  name,
  label,
  value = '',
  optional = false,
  options,
  long = false,
  type = 'text',
  hint,
  most = 500,
}: Field): View {
  const common = { name, required: !optional, autocomplete: 'off' }
  const control =
    options !== undefined
      ? html`<select ...${common}>${options.map((each) => html`<option key=${each} selected=${each === value}>${each}</option>`)}</select>`
      : long
        ? html`<textarea ...${common} rows="3" maxlength="300" defaultValue=${value} />`
        : html`<input ...${common} type=${type} maxlength=${type === 'file' ? undefined : most} defaultValue=${value} />`
  return html`<label class="field"><span>${label}${optional ? ' (optional)' : ''}</span>${control}
    ${hint !== undefined && html`<span class="hint">${hint}</span>`}</label>`
}

/** What was filled in, by the names of the fields; what may stay empty and did is left out. */
export async function filledIn(form: HTMLFormElement, fields: readonly Field[]): Promise<Record<string, string>> {
  const data = new FormData(form)
  const entries: [string, string][] = []
  for (const { name, optional } of fields) {
    const given = data.get(name) ?? ''
    const value = given instanceof File ? `${given.name}:${await base64Of(given)}` : given.trim()
    if (value !== '' || optional !== true) entries.push([name, value])
  }
  return Object.fromEntries(entries)
}

function base64Of(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    // A data URL: what stands behind its comma.
    reader.onload = () => resolve(String(reader.result).split(',')[1] ?? '')
    reader.onerror = () => reject(new Error('The file cannot be read.'))
    reader.readAsDataURL(file)
  })
}
