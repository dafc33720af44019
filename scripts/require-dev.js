// Loaded before the tests, which need what npm leaves out where it is told to install for production.
import { existsSync, readFileSync } from 'node:fs'

const { devDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))
const missing = Object.keys(devDependencies).filter(
  (name) => !existsSync(new URL(`../node_modules/${name}/package.json`, import.meta.url)),
)
if (missing.length > 0) {
  console.error(`Not installed: ${missing.join(', ')}. Run \`npm ci --include=dev\`, then the command again.`)
  process.exit(1)
}
