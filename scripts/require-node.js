// Loaded before every command of package.json, so it has to run on any Node that npm runs on.
import { existsSync } from 'node:fs'

const NEEDED = 24
const installed = existsSync(new URL('../node_modules', import.meta.url))

if (Number.parseInt(process.versions.node, 10) < NEEDED) {
  const why = `no newer one came with the installation for ${process.platform} on ${process.arch}`
  console.error(
    installed
      ? `This needs Node ${NEEDED}; the one here is ${process.versions.node}, and ${why}. Install Node ${NEEDED} from https://nodejs.org, then run the command again.`
      : 'Nothing is installed yet. Run `npm ci`, then the command again.',
  )
  process.exit(1)
}
