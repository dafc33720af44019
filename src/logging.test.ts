import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogger } from './logging.ts'

function logged(
  level: Parameters<typeof createLogger>[0],
  log: (logger: ReturnType<typeof createLogger>) => void,
): string {
  let text = ''
  const destination = {
    write(line: string) {
      text += line
    },
  }
  log(createLogger(level, destination))
  return text
}

test('a line is one JSON object with its level as a word and its time in ISO 8601', () => {
  const line = JSON.parse(logged('info', (logger) => logger.info({ chainId: 1 }, 'settling'))) as Record<
    string,
    unknown
  >
  assert.equal(line.level, 'info')
  assert.equal(line.msg, 'settling')
  assert.equal(line.chainId, 1)
  assert.match(String(line.time), /^\d{4}-\d\d-\d\dT.*Z$/)
})

test('nothing below the level is written', () => {
  assert.equal(
    logged('warn', (logger) => logger.info('hidden')),
    '',
  )
})

test('secrets logged by mistake are not written', () => {
  const names = ['authorization', 'apiKey', 'secret', 'password', 'token', 'privateKey', 'body', 'url']
  for (const name of names) {
    const text = logged('info', (logger) => {
      logger.info({ [name]: 's3cr3t', inner: { [name]: 's3cr3t' }, headers: { [name]: 's3cr3t' } }, 'oops')
    })
    assert.ok(!text.includes('s3cr3t'), name)
  }
})
