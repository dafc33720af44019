/** The beginning: who is signed in decides what is drawn. */
import { onSessionEnd, whyOf } from './api.ts'
import { forgetDraftsBut, keepDraft } from './drafts.ts'
import { startLive } from './live.ts'
import { Login, signInByLink } from './login.ts'
import { forgetDialog, onceRead } from './opened.ts'
import { followLinks } from './router.ts'
import { drawFor, personOf, readSession } from './session.ts'
import { Shell } from './shell.ts'
import { applyTheme } from './theme.ts'
import { html, render } from './view.ts'

const root = document.getElementById('console') as HTMLElement

let shown: string | undefined
const turns = { asked: 0, told: 0 }

/** Draws the console for whoever is signed in, or the login. @param why said at the login */
async function begin(why?: string): Promise<void> {
  turns.asked += 1
  const turn = turns.asked
  const session = await readSession().catch((error: unknown) => {
    why = whyOf(error)
    return undefined
  })
  // Whoever has signed in since is not sent away by an answer of before.
  if (turn < turns.told) return
  turns.told = turn
  const person = session && personOf(session)
  const isAnother = shown !== undefined && person !== undefined && person !== shown
  if (person === undefined) keepDraft(shown)
  else forgetDraftsBut(person)
  if (person === undefined || isAnother) forgetDialog()
  shown = person
  if (person === undefined) {
    render(html`<${Login} key=${why} why=${why} then=${() => begin()} />`, root)
    drawFor(undefined)
    return
  }
  drawFor(session)
  // Nothing of the pages stays that the one before has seen.
  render(html`<${Shell} key=${person} isAnother=${isAnother} leave=${() => void begin()} />`, root)
}

applyTheme()
followLinks()
startLive()
onSessionEnd(() => onceRead(() => void begin('Your session has ended: sign in again.')))
const refused = await signInByLink()
await begin(refused)
root.dataset.ready = 'yes'
