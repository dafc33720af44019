/** The token for commands of somebody who comes from the identity provider: made on demand, shown once. */
import { send, whyOf } from './api.ts'
import { Busy, Id, Instant, Note } from './parts.ts'
import { html, useLayoutEffect, useRef, useState, type View } from './view.ts'

type Made = { token: string; expiresAt: string }

export function CommandToken(): View {
  const dialog = useRef<HTMLDialogElement>(null)
  const [made, setMade] = useState<Made | undefined>(undefined)
  const [refusal, setRefusal] = useState<string | undefined>(undefined)
  const [isMaking, setMaking] = useState(false)
  const open = () => {
    setMade(undefined)
    setRefusal(undefined)
    dialog.current?.showModal()
  }
  const make = async () => {
    setMaking(true)
    try {
      const { body } = await send<Made>('POST', '/console/session/command-token', { body: {}, orThrow: true })
      setMade(body)
    } catch (error) {
      setRefusal(whyOf(error))
    }
    setMaking(false)
  }
  // The button that was pressed has gone.
  useLayoutEffect(() => {
    if (made !== undefined) dialog.current?.querySelector<HTMLElement>('.buttons button')?.focus()
  }, [made])
  return html`
    <button type="button" onClick=${open}>Commands</button>
    <dialog ref=${dialog} aria-labelledby="command-token">
      <h2 id="command-token">A token for commands</h2>
      <p>Whoever has it acts in your name. Put it into <code>OPERATOR_TOKEN</code> of your shell. It ends when you sign out here, after an hour without use, and after eight hours at the latest, and is shown once.</p>
      ${refusal !== undefined && html`<${Note}>${refusal}<//>`}
      ${made !== undefined && html`<${Note} tone="good"><${Id} of=${made.token} short /> until <${Instant} at=${made.expiresAt} /><//>`}
      <div class="buttons">
        <button type="button" onClick=${() => dialog.current?.close()}>Close</button>
        ${made === undefined && html`<${Busy} class="solid" is=${isMaking} onClick=${make}>Make a token<//>`}
      </div>
    </dialog>`
}
