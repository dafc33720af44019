// Loaded before every command of package.json, so it has to run on any Node that npm runs on.
import { existsSync } from 'node:fs'
import module from 'node:module'
import { fileURLToPath } from 'node:url'

const NEEDED = 26
const packages = new URL('../node_modules', import.meta.url)
const installed = existsSync(packages)

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  console.error(installed ? await whatToDo() : 'Nothing is installed yet. Run `npm ci`, then the command again.')
  process.exit(1)
}
// Later starts need less time. In the installation's own folder: what stands there runs with the rights of whoever starts it.
if (installed) module.enableCompileCache(fileURLToPath(new URL('node_modules/.cache/compiled', packages)))

async function whatToDo() {
  const here = `This needs Node ${NEEDED}; the one here is ${process.versions.node}`
  // Not linked before where npm runs no scripts of an installation.
  const { linkNode } = await import('./link-node.js')
  return linkNode()
    ? `${here}. The one that came with the installation is linked now: run the command again, by npm.`
    : `${here}, and no newer one came with the installation for ${process.platform} on ${process.arch}. Install Node ${NEEDED} from https://nodejs.org, then run the command again.`
}
