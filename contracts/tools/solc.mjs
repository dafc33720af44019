#!/usr/bin/env node
// The compiler as forge expects it (`--use`): answers `--version` and `--standard-json` through solc-js, so that
// neither a native compiler nor a network is needed. Plain JavaScript, because forge starts it with any Node.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const require = createRequire(import.meta.url)

/** Answers `solc --version` without loading the compiler: forge asks several times, loading takes half a second. */
function printVersion() {
  const { version } = require('solc/package.json')
  process.stdout.write(
    `solc, the solidity compiler commandline interface\nVersion: ${version}+commit.00000000.Emscripten.clang\n`,
  )
}

/** Answers `solc --standard-json`: reads the compiler's JSON input from stdin, writes its JSON output to stdout. */
function compileStandardJson() {
  const solc = require('solc')
  process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
}

if (process.argv.includes('--version')) printVersion()
else if (process.argv.includes('--standard-json')) compileStandardJson()
else {
  process.stderr.write('usage: solc.mjs --version | --standard-json\n')
  process.exitCode = 2
}
