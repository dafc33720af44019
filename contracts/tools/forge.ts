/**
 * Runs forge from npm on the contracts' tests, offline, with solc-js and the settings of what is deployed:
 *
 *   node contracts/tools/forge.ts test [forge options]
 */
import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { repositoryRoot } from './compile.ts'
import { forgeBinary } from './forge-binary.ts'
import { compilerSettings } from './settings.ts'

const child = spawn(forgeBinary(), process.argv.slice(2), {
  cwd: repositoryRoot,
  stdio: 'inherit',
  env: {
    ...process.env,
    FOUNDRY_CONFIG: 'contracts/foundry.toml',
    FOUNDRY_EVM_VERSION: compilerSettings.evmVersion,
    FOUNDRY_VIA_IR: String(compilerSettings.viaIR),
    FOUNDRY_OPTIMIZER: String(compilerSettings.optimizer.enabled),
    FOUNDRY_OPTIMIZER_RUNS: String(compilerSettings.optimizer.runs),
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
