/**
 * Runs forge from npm on the contracts' tests, offline, with solc-js:
 *
 *   node contracts/tools/forge.ts test [forge options]
 *
 * The tests deploy exactly the bytecode that is deployed in production. The tests themselves are compiled without the
 * optimizer, which would take minutes.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { resolve } from 'node:path'
import { repositoryRoot } from './compile.ts'
import { forgeBinary } from './forge-binary.ts'
import { compilerSettings } from './settings.ts'
import { compileAll } from './targets.ts'

/** Writes the deployed bytecode in the form that forge reads; returns the paths that the tests' fixture expects. */
function writeArtifacts(): Record<string, string> {
  const { Coin, Settlement } = compileAll()
  const folder = 'contracts/cache/deployed'
  mkdirSync(resolve(repositoryRoot, folder), { recursive: true })
  const paths = Object.entries({ Coin, Settlement }).map(([name, artifact]) => {
    const path = `${folder}/${name}.json`
    writeFileSync(
      resolve(repositoryRoot, path),
      JSON.stringify({ abi: artifact?.abi, bytecode: { object: artifact?.bytecode } }),
    )
    return [`${name.toUpperCase()}_ARTIFACT`, path]
  })
  return Object.fromEntries(paths)
}

const child = spawn(forgeBinary(), process.argv.slice(2), {
  cwd: repositoryRoot,
  stdio: 'inherit',
  env: {
    ...process.env,
    ...writeArtifacts(),
    FOUNDRY_CONFIG: 'contracts/foundry.toml',
    FOUNDRY_EVM_VERSION: compilerSettings.evmVersion,
    FOUNDRY_VIA_IR: 'false',
    FOUNDRY_OPTIMIZER: 'false',
  },
})
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => child.kill(signal))
child.once('error', (error) => {
  console.error(`forge could not be started: ${error.message}`)
  process.exitCode = 1
})
child.once('exit', (code, signal) => {
  process.exitCode = code ?? 128 + (signal === null ? 0 : constants.signals[signal])
})
