/** The view library as every page uses it. `html` is a tagged template: components in `<${Name} … />`, no build step. */
import htm from 'htm'
import { type ComponentChildren, h } from 'preact'

export { render } from 'preact'
export { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'

/** Anything that can stand in a page. */
export type View = ComponentChildren

export const html: (strings: TemplateStringsArray, ...values: unknown[]) => View = htm.bind(h)
