/**
 * What browsers load: the modules below `browser/`, from which Node takes the types, and the two libraries that they
 * use. There is no build step: a module is served as it stands in the source, line for line.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withoutTypes } from '../browser-modules.ts'

export type Asset = { type: string; body: string }
/** Below `base`, which names what the files say: whatever a browser keeps under one of these addresses is never outdated. */
export type Assets = { readonly base: string; readonly files: ReadonlyMap<string, Asset> }

const BROWSER = path.join(import.meta.dirname, 'browser')
/** Bare names that modules import → the name of that file below `base`, and where it is. */
const LIBRARIES: Readonly<Record<string, { file: string; url: string }>> = {
  preact: { file: 'preact.js', url: import.meta.resolve('preact') },
  'preact/hooks': { file: 'preact-hooks.js', url: import.meta.resolve('preact/hooks') },
  htm: { file: 'htm.js', url: import.meta.resolve('htm') },
}
const IMPORTED = /(\bfrom\s*)(["'])(preact\/hooks|preact|htm)\2/g

export const ASSETS = '/console/assets/'

let kept: Assets | undefined

/** Reads everything, at the first look: most processes that serve this are never looked at, and the modules take a moment. */
export function readAssets(): Assets {
  if (kept !== undefined) return kept
  const files = readFiles()
  kept = { base: baseOf(files), files }
  return kept
}

/** Another one as soon as any of the files says something else. */
export function baseOf(files: ReadonlyMap<string, Asset>): string {
  const hash = createHash('sha256').update(JSON.stringify([...files]))
  return `${ASSETS}${hash.digest('hex').slice(0, 16)}/`
}

/** @returns name below the base → what is there */
function readFiles(): Map<string, Asset> {
  const files = new Map<string, Asset>()
  for (const { file, url } of Object.values(LIBRARIES))
    files.set(file, script(readFileSync(fileURLToPath(url), 'utf8')))
  for (const entry of readdirSync(BROWSER, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(BROWSER, file).split(path.sep).join('/')
    if (entry.name.endsWith('.css'))
      files.set(name, { type: 'text/css; charset=utf-8', body: readFileSync(file, 'utf8') })
    if (entry.name.endsWith('.svg')) files.set(name, { type: 'image/svg+xml', body: readFileSync(file, 'utf8') })
    if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) {
      files.set(name, script(withoutTypes(readFileSync(file, 'utf8'))))
    }
  }
  return files
}

/** Relative addresses for the libraries too, so that a page has everything from below one base. Modules in folders import none. */
function script(source: string): Asset {
  const body = source.replace(IMPORTED, (_, from, quote, name) => `${from}${quote}./${LIBRARIES[name]?.file}${quote}`)
  return { type: 'text/javascript; charset=utf-8', body: body.replace(/^\/\/# sourceMappingURL=.*$/m, '') }
}
