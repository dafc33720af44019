import { createRequire } from 'node:module'

/**
 * The platform's own forge. The package's launcher exits with 0 whatever forge says, so it must not be used.
 *
 * @throws Error when the platform has none, or npm left optional dependencies out
 */
export function forgeBinary(): string {
  const launcher = createRequire(import.meta.url).resolve('@foundry-rs/forge/bin.mjs')
  const arch = process.arch === 'x64' ? 'amd64' : process.arch
  const name = process.platform === 'win32' ? 'forge.exe' : 'forge'
  return createRequire(launcher).resolve(`@foundry-rs/forge-${process.platform}-${arch}/bin/${name}`)
}
