/** An independent linter, at its strictest, finds nothing in the OpenAPI document. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { test } from 'node:test'
import { openApiDocument } from '../../src/http/openapi/document.ts'
import { ROUTES } from '../../src/http/routes/index.ts'
import { sandboxRoutes } from '../sandbox/routes.ts'
import { temporaryFolder } from '../support/temp.ts'

const cli = path.join(path.dirname(createRequire(import.meta.url).resolve('@redocly/cli/package.json')), 'bin/cli.js')

function lint(document: unknown): { status: number | null; output: string } {
  const folder = temporaryFolder('openapi')
  const file = path.join(folder, 'openapi.json')
  writeFileSync(file, JSON.stringify(document))
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [cli, 'lint', file, '--extends', 'recommended-strict'],
    {
      cwd: folder,
      encoding: 'utf8',
      // Nothing may leave this machine.
      env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    },
  )
  return { status, output: stdout + stderr }
}

test('the document is clean under the strict recommended rules', () => {
  const { status, output } = lint(openApiDocument())
  assert.equal(status, 0, output)
})

test('so is that of a sandbox', () => {
  const { status, output } = lint(openApiDocument([...ROUTES, ...sandboxRoutes()]))
  assert.equal(status, 0, output)
})

test('the linter would have noticed', () => {
  const { status } = lint({ ...openApiDocument(), servers: 'none' })
  assert.equal(status, 1)
})
