/** What the pages load: the modules, the style and the icon below `browser/`. */
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { withoutTypes } from '../../browser-modules.ts'

export type Asset = { type: string; text: string }

const BROWSER = path.join(import.meta.dirname, 'browser')
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.ts': 'text/javascript; charset=utf-8',
}

/** @returns name → what is there */
export function readAssets(): ReadonlyMap<string, Asset> {
  const assets = new Map<string, Asset>()
  for (const name of readdirSync(BROWSER)) {
    const type = TYPES[path.extname(name)]
    if (type === undefined) continue
    const source = readFileSync(path.join(BROWSER, name), 'utf8')
    assets.set(name, { type, text: name.endsWith('.ts') ? withoutTypes(source) : source })
  }
  return assets
}
