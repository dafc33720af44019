import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLines } from './lines.ts'
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

test('lines of one form are written as the logger writes them', () => {
  const withoutTime = (text: string) => text.replace(/"time":"[^"]+"/, '')
  const shared = { method: 'GET', route: '/v1/"a"', status: 200 }
  const expected = logged('info', (logger) => logger.child(shared).info({ durationMs: 1.5, keyId: 'k' }, 'request'))
  const text = logged('info', (logger) => {
    const write = createLines(logger, shared, 'request')
    write(',"durationMs":1.5,"keyId":"k"')
    write('')
  })
  const [first = '', second = ''] = text.split(/(?<=\n)/)
  assert.equal(withoutTime(first), withoutTime(expected))
  assert.deepEqual(
    { ...JSON.parse(second), time: '', pid: 0 },
    {
      level: 'info',
      time: '',
      service: 'stablecoin-partner-api',
      pid: 0,
      ...shared,
      msg: 'request',
    },
  )
  assert.ok(Math.abs(Date.parse(JSON.parse(first).time) - Date.now()) < 3_600_000)
  assert.equal(
    logged('warn', (logger) => createLines(logger, shared, 'request')('')),
    '',
  )
})
