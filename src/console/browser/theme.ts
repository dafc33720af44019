/** Light or dark: as the machine is set, until somebody chooses. */
import { html, useState, type View } from './view.ts'

type Theme = 'light' | 'dark'
const KEPT = 'console-theme'

function kept(): Theme | undefined {
  const value = localStorage.getItem(KEPT)
  return value === 'light' || value === 'dark' ? value : undefined
}

/** Applies what was chosen earlier in this browser. */
export function applyTheme(theme = kept()): void {
  if (theme !== undefined) document.documentElement.dataset.theme = theme
}

export function ThemeSwitch(): View {
  const machine: Theme = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
  const [theme, set] = useState<Theme>(kept() ?? machine)
  const other: Theme = theme === 'dark' ? 'light' : 'dark'
  const change = () => {
    localStorage.setItem(KEPT, other)
    applyTheme(other)
    set(other)
  }
  return html`<button type="button" class="theme" aria-label=${`Use ${other} colours`} title=${`Use ${other} colours`} onClick=${change}>
    ${theme === 'dark' ? '☀' : '☾'}</button>`
}
