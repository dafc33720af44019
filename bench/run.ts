/** Runs a benchmark by name: `npm run bench -- NAME [arguments]`. Without a name it lists them. */
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import path from 'node:path'

const [name, ...args] = process.argv.slice(2)
const names = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && file !== 'run.ts')
  .map((file) => path.basename(file, '.ts'))

if (name === undefined || !names.includes(name)) {
  console.error(`npm run bench -- NAME, where NAME is one of ${names.join(', ')}`)
  process.exit(2)
}
const { status } = spawnSync(process.execPath, [path.join(import.meta.dirname, `${name}.ts`), ...args], {
  stdio: 'inherit',
})
process.exit(status ?? 1)
