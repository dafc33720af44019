/** Addresses: every page, filter and sorting has one, so that a link to it can be sent. */
import { useLayoutEffect, useState } from './view.ts'

const BASE = '/console'

export type Route = {
  /** The parts below /console/, decoded: `['orders', 'int_…', 'ref']`. */
  parts: string[]
  query: URLSearchParams
}

const listeners = new Set<() => void>()

/** The present address. */
export function route(): Route {
  const parts = location.pathname.slice(BASE.length).split('/').filter(Boolean)
  return { parts: parts.map(decoded), query: new URLSearchParams(location.search) }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** Goes to an address of the console without loading it anew. */
export function go(href: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, '', href)
  else history.pushState(null, '', href)
  for (const listener of listeners) listener()
}

/** The address of a page. @param query undefined and empty values are left out */
export function hrefOf(parts: readonly string[], query: Record<string, string | undefined> = {}): string {
  const search = new URLSearchParams(Object.entries(query).filter((entry): entry is [string, string] => !!entry[1]))
  const path = `${BASE}/${parts.map(encodeURIComponent).join('/')}`
  return search.size === 0 ? path : `${path}?${search}`
}

/**
 * Changes some parameters of the present address; an empty or undefined value removes one.
 * @param replace false: whoever goes back comes to the one of before
 */
export function setQuery(changes: Record<string, string | undefined>, { replace = true } = {}): void {
  const { parts, query } = route()
  go(hrefOf(parts, { ...Object.fromEntries(query), ...changes }), { replace })
}

/** The present address, also after it has changed. */
export function useRoute(): Route {
  const [, draw] = useState(0)
  // At once: an effect waits for the next picture, and what is opened until then would be drawn nowhere.
  useLayoutEffect(() => {
    const listener = () => draw((count) => count + 1)
    listeners.add(listener)
    addEventListener('popstate', listener)
    return () => {
      listeners.delete(listener)
      removeEventListener('popstate', listener)
    }
  }, [])
  return route()
}

/** Makes ordinary links go to their page without loading the console anew. */
export function followLinks(): void {
  document.addEventListener('click', (event) => {
    const link = event.target instanceof Element ? event.target.closest('a') : null
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
    if (link === null || !isPlain || link.target !== '' || link.rel === 'external' || link.hasAttribute('download'))
      return
    if (link.origin !== location.origin || !link.pathname.startsWith(`${BASE}/`) || link.hash !== '') return
    event.preventDefault()
    go(link.pathname + link.search)
  })
}
