/** Signing in: with a token, through the identity provider, or by the link that a sandbox has printed. */
import { whyOf } from './api.ts'
import { Note } from './parts.ts'
import { readWays, signIn, type Ways } from './session.ts'
import { html, useEffect, useState, type View } from './view.ts'

/** @param then called when somebody is signed in */
export function Login({ why, then }: { why: string | undefined; then: () => Promise<void> }): View {
  const [refusal, setRefusal] = useState(why)
  const [busy, setBusy] = useState(false)
  const [ways, setWays] = useState<Ways>({ provider: null, tokens: true })
  // Without an answer the form is there, and says what is wrong when it is used.
  useEffect(() => void readWays().then(setWays, () => {}), [])
  const submit = async (form: HTMLFormElement) => {
    setBusy(true)
    setRefusal(undefined)
    try {
      await signIn({ token: String(new FormData(form).get('token') ?? '') })
      await then()
    } catch (error) {
      setRefusal(whyOf(error))
      setBusy(false)
    }
  }
  const onSubmit = (event: SubmitEvent) => {
    event.preventDefault()
    if (!busy) void submit(event.currentTarget as HTMLFormElement)
  }
  return html`<main class="login">
    <form onSubmit=${onSubmit}>
      <h1>Console</h1>
      <p>For the people who operate the stablecoin service.</p>
      ${refusal !== undefined && html`<${Note}>${refusal}<//>`}
      ${ways.provider !== null && html`<a class="button solid" rel="external" href=${ways.provider}>Sign in with your company’s account</a>`}
      <label class="field"><span>${ways.tokens ? 'Your token' : 'Or a token of break-glass'}</span>
        <input name="token" type="password" required autocomplete="current-password" autofocus /></label>
      <button type="submit" class="solid" aria-disabled=${busy}>${busy ? 'Signing in …' : 'Sign in'}</button>
      ${ways.tokens && html`<p class="hint">An admin makes it with “operator add”. A sandbox keeps one in the file <code>operator-token</code> of its data folder.</p>`}
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
    return whyOf(error)
  }
}
