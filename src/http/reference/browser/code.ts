/** What can be done with samples: copy them, and choose a language once for all of them. */
import { all, make } from './elements.ts'

const KEPT = 'docs-language'
const COPIED_MS = 2_000

/** Gives every block of code a button that copies it. */
export function addCopyButtons(): void {
  for (const block of all('.code')) {
    const button = make('button', { type: 'button', class: 'copy', 'aria-label': 'Copy' }, 'Copy')
    button.addEventListener('click', () => void copy(block, button))
    block.append(button)
  }
}

async function copy(block: HTMLElement, button: HTMLElement): Promise<void> {
  const text = block.querySelector('pre')?.textContent ?? ''
  const said = await navigator.clipboard.writeText(text).then(
    () => 'Copied',
    () => 'Select it, and press Ctrl+C',
  )
  button.textContent = said
  button.setAttribute('aria-label', said)
  setTimeout(() => {
    button.textContent = 'Copy'
    button.setAttribute('aria-label', 'Copy')
  }, COPIED_MS)
}

/** Shows one language of each sample, with tabs to change it. */
export function addTabs(): void {
  for (const samples of all('.samples')) {
    const names = all('.code', samples).map(({ dataset }) => dataset.tab ?? '')
    const tabs = names.map((name) => {
      const tab = make('button', { type: 'button', class: 'tab', 'data-tab': name }, name)
      tab.addEventListener('click', () => choose(name))
      return tab
    })
    samples.prepend(make('div', { class: 'tabs', role: 'group', 'aria-label': 'Language' }, ...tabs))
    samples.classList.add('chosen')
  }
  show(localStorage.getItem(KEPT) ?? '')
}

function choose(name: string): void {
  localStorage.setItem(KEPT, name)
  show(name)
}

function show(wanted: string): void {
  for (const samples of all('.samples')) {
    const blocks = all('.code', samples)
    const shown = blocks.find(({ dataset }) => dataset.tab === wanted) ?? blocks[0]
    for (const block of blocks) block.hidden = block !== shown
    for (const tab of all('.tab', samples))
      tab.setAttribute('aria-pressed', String(tab.dataset.tab === shown?.dataset.tab))
  }
}
