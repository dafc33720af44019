/** The beginning: who is signed in decides what is drawn. */
import { forgetDialog, onceRead } from './action.ts'
import { onSessionEnd } from './api.ts'
import { startLive } from './live.ts'
import { Login, signInByLink } from './login.ts'
import { followLinks } from './router.ts'
import { readSession } from './session.ts'
import { Shell } from './shell.ts'
import { applyTheme } from './theme.ts'
import { html, render } from './view.ts'

const root = document.getElementById('console') as HTMLElement

/** Draws the console for whoever is signed in, or the login. @param why said at the login */
async function begin(why?: string): Promise<void> {
  const session = await readSession().catch((error: unknown) => {
    why = error instanceof Error ? error.message : String(error)
    return undefined
  })
  if (session === undefined) forgetDialog()
  if (session === undefined) render(html`<${Login} key=${why} why=${why} then=${() => begin()} />`, root)
  else render(html`<${Shell} leave=${() => void begin()} />`, root)
}

applyTheme()
followLinks()
startLive()
onSessionEnd(() => onceRead(() => void begin('Your session has ended: sign in again.')))
const refused = await signInByLink()
await begin(refused)
root.dataset.ready = 'yes'
