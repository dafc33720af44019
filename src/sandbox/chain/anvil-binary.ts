/** Where npm put anvil. We start the program itself, not its wrapper, so that the process id is its own. */
import { accessSync, chmodSync, constants } from 'node:fs'
import { createRequire } from 'node:module'
import { readFileError } from '../../db/file-errors.ts'
import { StartError } from '../../start/start-failure.ts'

const PACKAGES: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64/bin/anvil',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64/bin/anvil',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64/bin/anvil',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64/bin/anvil',
  'win32-x64': '@foundry-rs/anvil-win32-amd64/bin/anvil.exe',
}

/** The path of anvil for this machine. @throws StartError when npm has not installed one */
export function anvilBinary(): string {
  const machine = `${process.platform}-${process.arch}`
  const name = PACKAGES[machine]
  if (name === undefined) throw new StartError(`The sandbox has no local chain for ${machine}; give it a CHAINS_FILE.`)
  try {
    const path = createRequire(import.meta.url).resolve(name)
    if (process.platform !== 'win32') makeExecutable(path)
    return path
  } catch (error) {
    const trouble = readFileError(error)
    if (trouble !== undefined) throw new StartError(`The local chain cannot be run: ${trouble.file}: ${trouble.why}.`)
    throw new StartError('The local chain is not installed. Run `npm ci` with optional dependencies.', { cause: error })
  }
}

/** npm installs it without its permission. Where another user has installed it, that one's start gave it. */
function makeExecutable(path: string): void {
  try {
    accessSync(path, constants.X_OK)
  } catch {
    chmodSync(path, 0o755)
  }
}
