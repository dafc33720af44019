/**
 * A button that changes something: a dialog says what it will do, and to what, asks for what is needed (the reason above
 * all), and then says what came of it: done, refused in the API's words, or waiting for another operator.
 */
import type { ActionProps } from './action-props.ts'
import { type Outcome, Refusal, whyOf } from './api.ts'
import { asks, readForm, withDraft } from './drafts.ts'
import { type Field, filledIn, Input, REASON } from './form.ts'
import { answered, sending, show, useOpened } from './opened.ts'
import { Copy, Note } from './parts.ts'
import { hrefOf } from './router.ts'
import { type Fields, keyFor, type Sent, sent } from './sending.ts'
import { may, waits } from './session.ts'
import { html, useLayoutEffect, useRef, useState, type View } from './view.ts'

type State =
  | { at: 'closed' | 'asking' | 'sending' }
  | { at: 'refused'; why: string }
  | { at: 'ended'; outcome: Outcome<Fields> }

/**
 * What the dialog asks for: also why, where that is demanded. What was approved is run exactly as it was asked for, with the
 * reason that was given then.
 */
function fieldsOf({ fields = [], danger = false, reason = false, approval }: ActionProps): readonly Field[] {
  const isAsked = (danger || reason) && approval === undefined
  return isAsked && !fields.some(({ name }) => name === REASON.name) ? [...fields, REASON] : fields
}

export function Action(props: ActionProps): View {
  if (!may(props.command)) return null
  // Who hears the page and comes here by keyboard is told to what, also where each row has the same button.
  return html`<button type="button" class=${props.danger ? 'danger' : ''} aria-description=${props.target} onClick=${() => show(props)}>${props.label}</button>`
}

/** Where dialogs are drawn, once in the shell. */
export function Dialogs(): View {
  const { opened, count } = useOpened()
  return opened === undefined ? null : html`<${Dialog} key=${count} ...${opened} />`
}

/** What is no name of anything: nobody wants a copy of “a new partner”. */
const WORDS = /^[a-z]+(?: [a-z]+)+$/

function Dialog(props: ActionProps): View {
  const { label, target } = props
  const dialog = useRef<HTMLDialogElement>(null)
  const [fields] = useState(() => withDraft(props, fieldsOf(props)))
  const { state, isSending, run } = useSending(props)
  const close = () => dialog.current?.close()
  useFocus(dialog, state)
  useLayoutEffect(() => {
    const form = dialog.current?.querySelector('form')
    if (state.at !== 'ended' && form != null) asks(props, () => readForm(form, fieldsOf(props)))
    return () => asks(undefined)
  }, [state.at])
  // It is about what is on the page: whoever goes back from that has left it, also before it is painted. What came of it stays to be read.
  useLayoutEffect(() => {
    if (state.at !== 'asking' && state.at !== 'refused') return
    addEventListener('popstate', close)
    return () => removeEventListener('popstate', close)
  }, [state.at])
  const submit = (event: SubmitEvent) => {
    event.preventDefault()
    void run(event.currentTarget as HTMLFormElement)
  }
  const onCancel = (event: Event) => {
    if (isSending.current) event.preventDefault()
  }
  const onClose = () => {
    // What was sent is not taken back by closing: what came of it is told here. A browser closes it all the same at a second Escape.
    if (isSending.current) return dialog.current?.showModal()
    keepFocus(dialog.current)
    show(undefined)
  }
  // A link in what came of it leads away from the dialog too.
  const onClick = ({ target: clicked }: MouseEvent) => {
    if (clicked instanceof Element && clicked.closest('a') !== null) close()
  }
  return html`<dialog ref=${dialog} aria-labelledby="dialog-title" aria-describedby="dialog-target dialog-says dialog-waits" onClick=${onClick} onCancel=${onCancel} onClose=${onClose}>
    <form onSubmit=${submit}>
      <h2 id="dialog-title">${titleOf(label)}</h2>
      <p class="target"><code id="dialog-target">${target}</code> ${!WORDS.test(target) && html`<${Copy} text=${target} />`}</p>
      <${Content} ...${{ props, fields, state }} />
      <${Buttons} ...${{ props, state, close }} />
    </form>
  </dialog>`
}

const titleOf = (label: string) => label.replace(/ ?…$/, '')

/** After these the page may be another than what it shows: somebody else has changed it, or what was sent was done and its answer lost. */
const LOOKS_AGAIN = ['CONFLICT', 'UNREACHABLE']

/** Sends what was filled in, once at a time, and knows what came of it. */
function useSending(props: ActionProps) {
  const [state, set] = useState<State>({ at: 'asking' })
  const isSending = useRef(false)
  const lastSent = useRef<Sent | undefined>(undefined)
  const run = async (form: HTMLFormElement) => {
    if (isSending.current) return
    isSending.current = true
    sending()
    set({ at: 'sending' })
    try {
      const body = await bodyFrom(form, props)
      lastSent.current = keyFor(props.command, body, lastSent.current)
      const outcome = await sent(props, body, lastSent.current?.key)
      set({ at: 'ended', outcome })
      void props.onDone?.(outcome)
    } catch (error) {
      set({ at: 'refused', why: whyOf(error) })
      answered()
      if (error instanceof Refusal && LOOKS_AGAIN.includes(error.code)) void props.onConflict?.()
    } finally {
      isSending.current = false
    }
  }
  return { state, isSending, run }
}

/** Opens the dialog, and keeps the keyboard where something is to be done next. */
function useFocus(dialog: { current: HTMLDialogElement | null }, state: State): void {
  useLayoutEffect(() => {
    dialog.current?.showModal()
    focusOn(dialog.current, 'label :is(input, select, textarea), .buttons button')
  }, [])
  useLayoutEffect(() => {
    if (state.at === 'ended') focusOn(dialog.current, '.buttons button')
    // The button that was pressed could not be while it was sent, and so has lost the keyboard.
    const isLost = dialog.current?.contains(document.activeElement) === false
    if (state.at === 'refused' && isLost) focusOn(dialog.current, 'button[type=submit]')
    // Of a long dialog that was sent by Enter in a field, what is said stands further down than a phone shows.
    else if (state.at === 'refused') dialog.current?.querySelector('[role=alert]')?.scrollIntoView({ block: 'nearest' })
  }, [state.at])
}

/** What it asks for; once it has ended, what came of it. */
function Content({ props, fields, state }: { props: ActionProps; fields: readonly Field[]; state: State }): View {
  const { command, says, approval } = props
  if (state.at === 'ended')
    return html`<${Ended} outcome=${state.outcome} result=${props.result} refused=${props.refused} />`
  return html`<p id="dialog-says">${says}</p>
    ${approval === undefined && waits(command) !== undefined && html`<p class="hint" id="dialog-waits">${waitsText(waits(command))}</p>`}
    ${fields.map((field) => html`<${Input} key=${field.name} ...${field} />`)}
    ${state.at === 'refused' && html`<${Note}>${state.why}<//>`}`
}

function Buttons({ props, state, close }: { props: ActionProps; state: State; close: () => void }): View {
  const { label, danger = false } = props
  const isSending = state.at === 'sending'
  const hasEnded = state.at === 'ended'
  return html`<div class="buttons">
    <button type="button" onClick=${close} disabled=${isSending} aria-describedby=${hasEnded ? 'dialog-said' : undefined}>${hasEnded ? 'Close' : 'Cancel'}</button>
    ${
      !hasEnded &&
      html`<button type="submit" class=${danger ? 'danger solid' : 'solid'} disabled=${isSending}>
        ${isSending ? 'Sending …' : titleOf(label)}</button>`
    }
  </div>`
}

/** Whoever works by keyboard goes on where something is to be done, and not from the top of the dialog. */
function focusOn(dialog: HTMLDialogElement | null, selector: string): void {
  dialog?.querySelector<HTMLElement>(selector)?.focus()
}

/** The keyboard goes back to the button that opened the dialog; where what was done has taken that away, to the page, and not to the top of everything. */
function keepFocus(dialog: HTMLDialogElement | null): void {
  const { activeElement } = document
  const isLost = activeElement === null || activeElement === document.body || dialog?.contains(activeElement) === true
  if (isLost) document.getElementById('main')?.focus({ preventScroll: true })
}

function waitsText(when: string | undefined): string {
  const sometimes = when === 'always' ? 'This' : `This (${when})`
  return `${sometimes} waits until another operator approves it; then you run it from Approvals.`
}

/** Whom to call: the role alone says it of nobody, and not who has left or has never signed in. */
function whomText(approvers: readonly string[]): string {
  return approvers.length > 0 ? ` (${approvers.join(', ')})` : ', and nobody else may approve it now'
}

type EndedProps = { outcome: Outcome<Fields> } & Pick<ActionProps, 'result' | 'refused'>

function Ended({ outcome, result, refused }: EndedProps): View {
  if ('waiting' in outcome) {
    return html`<div id="dialog-said"><${Note} tone="wait">It waits for another operator${whomText(outcome.approvers)}:${' '}
      <a href=${hrefOf(['approvals', outcome.waiting])}>${outcome.waiting}</a>.<//></div>`
  }
  // `ok` is false where it was done on some chains and not on others.
  const bad = outcome.done.ok === false ? 'Not all of it is done.' : refused?.(outcome.done)
  const said = bad === undefined ? html`<${Note} tone="good">Done.<//>` : html`<${Note}>${bad}<//>`
  const besides = besidesOf(outcome.done)
  return html`<div id="dialog-said">${said}${besides !== undefined && html`<${Note} tone="wait">${besides}<//>`}</div>${result?.(outcome.done)}`
}

/** What the service says of what was done, as the commands do; of a payout, what is to be known since. */
function besidesOf({ note, payout }: Fields): string | undefined {
  const said = note ?? (payout as Fields | undefined)?.beware
  return typeof said === 'string' ? said : undefined
}

async function bodyFrom(form: HTMLFormElement, props: ActionProps): Promise<Fields> {
  const { body = {}, bodyOf = (fields: Record<string, string>) => fields } = props
  const { [REASON.name]: reason, ...filled } = await filledIn(form, fieldsOf(props))
  return { ...body, ...bodyOf(filled), ...(reason !== undefined && { reason }) }
}
