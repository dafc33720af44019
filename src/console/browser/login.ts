/** Signing in: with a token, or by the link that a sandbox has printed. */
import { Note } from './parts.ts'
import { signIn } from './session.ts'
import { html, useState, type View } from './view.ts'

/** @param then called when somebody is signed in */
export function Login({ why, then }: { why: string | undefined; then: () => Promise<void> }): View {
  const [refusal, setRefusal] = useState(why)
  const [busy, setBusy] = useState(false)
  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    setRefusal(undefined)
    try {
      await signIn({ token: String(new FormData(form).get('token') ?? '') })
      await then()
    } catch (error) {
      setRefusal(error instanceof Error ? error.message : String(error))
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    void submit(event.currentTarget as HTMLFormElement)
  }
  return html`<main class="login">
    <form onSubmit=${onSubmit}>
      <h1>Console</h1>
      <p>For the people who operate the stablecoin service.</p>
      ${refusal !== undefined && html`<${Note}>${refusal}<//>`}
      <label class="field"><span>Your token</span>
        <input name="token" type="password" required autocomplete="current-password" autofocus /></label>
      <button type="submit" class="solid" disabled=${busy}>${busy ? 'Signing in …' : 'Sign in'}</button>
      <p class="hint">An admin makes it with “operator add”. A sandbox keeps one in the file <code>operator-token</code> of its data folder.</p>
    </form>
  </main>`
}

/** Uses the code in the address's fragment, if there is one, and takes it away. @returns why it was refused */
export async function signInByLink(): Promise<string | undefined> {
  const [, code] = /^#login=([0-9A-Za-z]{1,100})$/.exec(location.hash) ?? []
  if (code === undefined) return undefined
  history.replaceState(null, '', location.pathname + location.search)
  try {
    await signIn({ code })
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
