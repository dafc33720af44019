/** The contents of a page: they follow the reading, and close on a phone. */
import { all } from './elements.ts'

/** How far below the top a part may begin to count as the one that is read. */
const MARGIN_PX = 120

/** Marks the part at the top of the screen as the one that is read, above the first part that one, and keeps it in sight in the contents. */
export function followReading(): void {
  const links = all('.side .parts a') as HTMLAnchorElement[]
  const parts = links.flatMap((link) => {
    const part = document.getElementById(decodeURIComponent(link.hash.slice(1)))
    return part === null ? [] : [{ link, part }]
  })
  if (parts.length === 0) return
  let marked: HTMLElement | undefined
  const mark = () => {
    const isAtEnd = scrollY > 0 && innerHeight + scrollY >= document.documentElement.scrollHeight - 2
    const begun = parts.filter(({ part }) => part.getBoundingClientRect().top <= MARGIN_PX)
    const link = (isAtEnd ? parts.at(-1) : (begun.at(-1) ?? parts[0]))?.link
    if (link === marked) return
    marked?.removeAttribute('aria-current')
    link?.setAttribute('aria-current', 'true')
    marked = link
    link?.scrollIntoView({ block: 'nearest' })
  }
  addEventListener('scroll', mark, { passive: true })
  mark()
}

/** On a phone the contents close once something was chosen in them. */
export function closeMenuOnChoice(): void {
  const menu = document.getElementById('menu') as HTMLInputElement
  const close = () => {
    menu.checked = false
  }
  for (const link of all('.side a')) link.addEventListener('click', close)
}
