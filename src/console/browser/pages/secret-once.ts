/** A secret that is shown this once. */
import { Copy, Note } from '../parts.ts'
import { html, type View } from '../view.ts'

export function SecretOnce({ name, of }: { name: string; of: string | undefined }): View {
  if (of === undefined) return null
  return html`<p>${name}: <code class="secret">${of}</code> <${Copy} text=${of} /></p>
    <${Note} tone="wait">It is shown only this once. Hand it over in a safe way, then close this.<//>`
}
