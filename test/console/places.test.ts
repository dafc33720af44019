/** Whatever a command changes, a button of the console changes too. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { COMMANDS } from '../../src/operators/commands.ts'

const BROWSER = path.join(import.meta.dirname, '../../src/console/browser')
const source = readdirSync(BROWSER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => readFileSync(path.join(BROWSER, file), 'utf8'))
  .join('\n')

/** A button names its command; those of an endpoint have one `common` for all. */
function hasButton(command: string): boolean {
  if (command === 'customer find') return source.includes("'/customers/find'")
  const [noun = '', verb = ''] = command.split(/ (?=[^ ]*$)/)
  const ofEndpoint = noun === 'webhook' && source.includes(`common('${verb}')`)
  return ofEndpoint || [`command="${command}"`, `command: '${command}'`].some((named) => source.includes(named))
}

test('every command that changes something has its button', () => {
  const changing = COMMANDS.filter(({ route }) => route.startsWith('POST ')).map(({ command }) => command)
  assert.ok(changing.length > 50)
  assert.deepEqual(
    changing.filter((command) => !hasButton(command)),
    [],
  )
})
