// Run by npm when it has installed, so it has to run on any Node that npm runs on.
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { linkNode, programOfThisPlatform } from './link-node.js'

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (!(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19)) && !installAgain()) {
  console.error(
    `npm left packages out, such as the local chain or what the tests read sources with, because they cannot be installed by Node ${process.versions.node}. Install Node 20.19, or 22.12 or newer, from https://nodejs.org, then run \`npm ci\` again.`,
  )
  process.exit(1)
}
linkNode()

/**
 * npm leaves packages for newer Nodes out without a word. The Node that came with the others is new enough for all of them: it runs the same npm once more.
 * From a copy, because that npm removes all packages first; beside them, because elsewhere programs may not be allowed to run.
 */
function installAgain() {
  const program = programOfThisPlatform()
  const npm = process.env.npm_execpath
  if (program === undefined || npm === undefined) return false
  console.error(
    `Installing with the newer Node that came with the packages, for npm leaves some out for ${process.versions.node} …`,
  )
  const root = fileURLToPath(new URL('..', import.meta.url))
  const folder = mkdtempSync(path.join(root, '.installing-'))
  try {
    const copy = path.join(folder, path.basename(program))
    copyFileSync(program, copy)
    const { status } = spawnSync(copy, [npm, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], {
      cwd: root,
      stdio: 'inherit',
    })
    return status === 0
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
