/** A field of a dialog. */
export type Field = {
  name: string
  label: string
  /** What is already there. */
  value?: string
  /** May stay empty, and is then left out. */
  optional?: boolean
  options?: readonly string[]
  /** Several lines. */
  long?: boolean
  /** `file`: what is filled in is its name, a colon, and what it holds in base64. */
  type?: 'text' | 'password' | 'date' | 'file'
  hint?: string
  /** The most characters, if not 500. */
  most?: number
}
