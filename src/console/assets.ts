/**
 * What browsers load: the modules below `browser/`, from which Node takes the types, and the two libraries that they
 * use. There is no build step: a module is served as it stands in the source, line for line.
 */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { withoutTypes } from '../browser-modules.ts'

export type Asset = { type: string; body: string }

const BROWSER = path.join(import.meta.dirname, 'browser')
/** Bare names that modules import → the file of that name below /console/assets/, and where it is. */
const LIBRARIES: Readonly<Record<string, { file: string; url: string }>> = {
  preact: { file: 'preact.js', url: import.meta.resolve('preact') },
  'preact/hooks': { file: 'preact-hooks.js', url: import.meta.resolve('preact/hooks') },
  htm: { file: 'htm.js', url: import.meta.resolve('htm') },
}
const IMPORTED = /(\bfrom\s*)(["'])(preact\/hooks|preact|htm)\2/g

export const ASSETS = '/console/assets/'

/** Reads everything. @returns path below `ASSETS` → what is there */
export function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const { file, url } of Object.values(LIBRARIES)) {
    assets.set(file, script(readFileSync(fileURLToPath(url), 'utf8')))
  }
  for (const entry of readdirSync(BROWSER, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const name = path.relative(BROWSER, file).split(path.sep).join('/')
    if (entry.name.endsWith('.css'))
      assets.set(name, { type: 'text/css; charset=utf-8', body: readFileSync(file, 'utf8') })
    if (entry.name.endsWith('.svg')) assets.set(name, { type: 'image/svg+xml', body: readFileSync(file, 'utf8') })
    if (entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts')) {
      assets.set(name, script(withoutTypes(readFileSync(file, 'utf8'))))
    }
  }
  return assets
}

function script(source: string): Asset {
  const body = source.replace(
    IMPORTED,
    (_, from, quote, name) => `${from}${quote}${ASSETS}${LIBRARIES[name]?.file}${quote}`,
  )
  return { type: 'text/javascript; charset=utf-8', body: body.replace(/^\/\/# sourceMappingURL=.*$/m, '') }
}
