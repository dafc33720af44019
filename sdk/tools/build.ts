/** Compiles the package twice: dist/esm for `import`, dist/cjs for `require`, each with its own types. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

const SDK = path.join(import.meta.dirname, '..')
const FORMATS = {
  esm: { type: 'module', compiler: ['--module', 'nodenext', '--moduleResolution', 'nodenext'] },
  cjs: {
    type: 'commonjs',
    compiler: ['--module', 'commonjs', '--moduleResolution', 'bundler', '--verbatimModuleSyntax', 'false'],
  },
}

rmSync(path.join(SDK, 'dist'), { recursive: true, force: true })
for (const [name, { type, compiler }] of Object.entries(FORMATS)) {
  const folder = path.join(SDK, 'dist', name)
  mkdirSync(folder, { recursive: true })
  // The folder's own package.json says how its files are to be read, whatever the package's says.
  writeFileSync(path.join(folder, 'package.json'), `${JSON.stringify({ type, sideEffects: false })}\n`)
  execFileSync('tsc', ['-p', 'tsconfig.build.json', '--outDir', folder, ...compiler], { cwd: SDK, stdio: 'inherit' })
  nameCompiledModules(folder)
}

/** The compiler leaves `.ts` in the imports of declarations; older compilers find only `.js` there. */
function nameCompiledModules(folder: string): void {
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.d.ts')) continue
    const place = path.join(folder, file)
    writeFileSync(place, readFileSync(place, 'utf8').replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}
