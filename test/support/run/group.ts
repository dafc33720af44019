/**
 * Runs the test files that it is given one after the other in this process, each as a suite of its own, so that hooks
 * outside of its tests are the file's alone. One test holds them all: without it the process would count as done between two files.
 */
import assert from 'node:assert/strict'
import { AsyncResource } from 'node:async_hooks'
import { createRequire } from 'node:module'
import path from 'node:path'
import { after, describe, test } from 'node:test'
import { anvilsLeft } from '../anvil.ts'

/** As long as a file has that is alone. */
const FILE_TIMEOUT_MS = Number(process.env.TEST_FILE_TIMEOUT_MS ?? 420_000)
/** At once, and not as `import()` later: a test belongs to the suite in whose callback it is declared. */
const load = createRequire(import.meta.url)

void test('group', { timeout: Number.POSITIVE_INFINITY }, async () => {
  const group = new AsyncResource('group')
  for (const file of process.argv.slice(2)) {
    await group.runInAsyncScope(() =>
      describe(file, { timeout: FILE_TIMEOUT_MS }, () => {
        load(path.resolve(file))
        // After the file's own hooks. It would go on making blocks beside all that follow.
        after(() => assert.equal(anvilsLeft(), 0, 'a chain is left running'))
      }),
    )
  }
})
