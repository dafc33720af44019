import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { atLeast } from '../../test/support/wait-for.ts'

const OUTPUT = JSON.stringify(new URL('./output.ts', import.meta.url).href)
const LOGGING = JSON.stringify(new URL('./logging.ts', import.meta.url).href)

/** What a program that has a logger writes to standard output until it has ended. */
async function written(program: string, to: 'pipe' | 'file'): Promise<string[]> {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-output-'))
  try {
    const file = path.join(folder, 'log')
    const code = `const { createLogger } = await import(${LOGGING}); const logger = createLogger('info');${program}`
    const stdout = to === 'file' ? openSync(file, 'a') : 'pipe'
    const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', stdout, 'ignore'] })
    const piped = child.stdout?.toArray()
    await once(child, 'close')
    const text = piped === undefined ? readFileSync(file, 'utf8') : (await piped).join('')
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => String((JSON.parse(line) as { msg: unknown }).msg))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const MANY = `for (let n = 0; n < 300; n += 1) logger.info('line ' + n);`
const LINES = Array.from({ length: 300 }, (_, n) => `line ${n}`)

for (const to of ['pipe', 'file'] as const) {
  test(`every line reaches a ${to}, however the process ends`, async () => {
    const endings = {
      'by itself': '',
      'in the turn that wrote them': 'process.exit(0)',
      'by an error': `throw new Error('unexpected')`,
      'by an error later': `setImmediate(() => { logger.info('last'); throw new Error('unexpected') })`,
    }
    for (const [ending, program] of Object.entries(endings)) {
      const last = ending === 'by an error later' ? ['last'] : []
      const lines = await written(MANY + program, to)
      assert.deepEqual(lines, [...LINES, ...last], ending)
    }
  })

  test(`no line tears another in a ${to} when an error ends the process while much is being written`, async () => {
    const much = `for (let n = 0; n < 300; n += 1) logger.info({ filling: 'x'.repeat(1_000) }, 'line ' + n);`
    const ending = `setImmediate(() => setImmediate(() => { logger.info('last'); throw new Error('unexpected') }))`
    assert.deepEqual(await written(much + ending, to), [...LINES, 'last'])
  })

  test(`lines of later turns reach a ${to} before the process ends`, async () => {
    const program = `for (const name of ['a', 'b', 'c']) { logger.info(name); await new Promise(setImmediate) }`
    assert.deepEqual(await written(`${program}; process.kill(process.pid, 'SIGKILL')`, 'file'), ['a', 'b', 'c'])
    assert.deepEqual(await written(program, to), ['a', 'b', 'c'])
  })
}

/** Logs in several turns, and says on standard error when it has; a file may become half a kilobyte long, as on a disk that is full. */
async function endOf(program: string, to: 'full device' | 'full disk'): Promise<{ code: number | null; said: string }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-output-'))
  const stdout = openSync(to === 'full device' ? '/dev/full' : path.join(folder, 'log'), 'a')
  const code = `const { createLogger } = await import(${LOGGING}); const logger = createLogger('info');
    for (let n = 0; n < 20; n += 1) { logger.info('line ' + n); await new Promise((resolve) => setTimeout(resolve, 5)) }
    process.stderr.write('went on');${program}`
  const limited = `${to === 'full disk' ? 'ulimit -f 1; ' : ''}exec "$0" --input-type=module -e "$1"`
  const child = spawn('/bin/sh', ['-c', limited, process.execPath, code], {
    stdio: ['ignore', stdout, 'pipe'],
    timeout: atLeast(30_000),
  })
  try {
    const said = child.stderr?.toArray()
    const [exitCode] = (await once(child, 'close')) as [number | null]
    return { code: exitCode, said: ((await said) ?? []).join('') }
  } finally {
    closeSync(stdout)
    rmSync(folder, { recursive: true })
  }
}

for (const to of ['full device', 'full disk'] as const) {
  test(`a ${to} ends no process, and keeps none from ending`, { skip: process.platform !== 'linux' }, async () => {
    assert.deepEqual(await endOf('', to), { code: 0, said: 'went on' })
    assert.deepEqual(await endOf(`logger.info('last'); process.exit(3)`, to), { code: 3, said: 'went on' })
  })
}

test('what another thread still writes is written whole before a process that waits for it ends, however late its reader reads', async () => {
  const program = `
    const { createLogger } = await import(${LOGGING})
    const logger = createLogger('info')
    for (let n = 0; n < 600; n += 1) {
      logger.info({ filling: 'x'.repeat(2_000) }, 'line ' + n)
      if (n % 5 === 0) await new Promise(setImmediate)
    }
    logger.flush(() => process.exit(0))`
  // A pipe whose reader sets in when it is full.
  const pipeline = '"$NODE" --input-type=module -e "$PROGRAM" | { sleep 1; dd bs=1000 2>/dev/null; }'
  const env = { ...process.env, NODE: process.execPath, PROGRAM: program }
  const child = spawn('sh', ['-c', pipeline], { stdio: ['ignore', 'pipe', 'inherit'], env })
  const text = (await child.stdout.toArray()).join('')
  const found = text
    .split('\n')
    .slice(0, -1)
    .map((line) => String((JSON.parse(line) as { msg: unknown }).msg))
  assert.deepEqual(
    found,
    Array.from({ length: 600 }, (_, n) => `line ${n}`),
  )
})

test('for a reader that has stopped reading so much is held and no more; once it reads again, a line says how many were lost', async () => {
  const program = `
    const { openLogOutput } = await import(${OUTPUT})
    const output = openLogOutput({ maxBytes: 100_000 })
    const line = (n) => JSON.stringify({ n, filling: 'x'.repeat(990) }) + '\\n'
    let n = 0
    const write = async () => { output.write(line(n)); n += 1; await new Promise(setImmediate) }
    while (n < 1000) await write()
    process.on('message', async () => { await write(); process.send('written') })
    process.send('written')`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    await once(child, 'message')
    let text = ''
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    const found = () => /^([\s\S]*?)(\{"level":"warn".*)\n(.*)\n/m.exec(text)
    for (let sent = 0; found() === null && sent < 500; sent += 1) {
      child.send('another line')
      await once(child, 'message')
    }
    const [, before = '', notice = '', next = ''] = found() ?? []
    assert.notEqual(notice, '')
    const { lostLines } = JSON.parse(notice) as { lostLines: number }
    const written = before.split('\n').length - 1
    assert.ok(lostLines > 0)
    assert.equal((JSON.parse(next) as { n: number }).n, written + lostLines)
  } finally {
    child.kill('SIGKILL')
  }
})

test('how long lines wait for a reader that has stopped is known, and forgotten once it reads', async () => {
  const code = `const { createLogger } = await import(${LOGGING}); const { secondsUnwritten } = await import(${OUTPUT})
    const logger = createLogger('info')
    const say = () => process.stderr.write(secondsUnwritten().toFixed(3) + '\\n')
    logger.info('short'); setTimeout(say, 200)
    setTimeout(() => { for (let n = 0; n < 300; n += 1) logger.info({ filling: 'x'.repeat(1_000) }, 'line ' + n) }, 300)
    setTimeout(say, 900); setTimeout(say, 1_200)
    process.stdin.once('data', () => setTimeout(() => { say(); process.exit(0) }, 300))`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'pipe' })
  const said: number[] = []
  child.stderr.on('data', (text: Buffer) => {
    said.push(...String(text).trim().split('\n').map(Number))
    // Only now are the lines read.
    if (said.length === 3) child.stdout.resume()
    if (said.length === 3) child.stdin.write('on')
  })
  await once(child, 'close')
  const [atFirst, stopped = 0, later = 0, read] = said
  assert.deepEqual([atFirst, read], [0, 0])
  assert.ok(stopped > 0.3 && later > stopped, said.join())
})

test('a named pipe that has lost its reader is written again once another reads it', {
  skip: process.platform === 'win32',
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'log-output-'))
  const pipe = path.join(folder, 'pipe')
  execFileSync('mkfifo', [pipe])
  const code = `const { openLogOutput, secondsUnwritten } = await import(${OUTPUT}); const output = openLogOutput(); let lines = 0;
    setInterval(() => { lines += 1; output.write('line ' + lines + '\\n'); if (secondsUnwritten() > 0.1) process.stderr.write('unread') }, 5);
    setTimeout(() => process.exit(0), 10_000)`
  const reader = () => spawn('cat', [pipe], { stdio: ['ignore', 'pipe', 'ignore'] })
  const first = reader()
  const stdout = openSync(pipe, 'w')
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', stdout, 'pipe'] })
  closeSync(stdout)
  let second: ReturnType<typeof reader> | undefined
  try {
    await once(first.stdout, 'data')
    first.kill()
    await once(child.stderr ?? assert.fail(), 'data')
    second = reader()
    const [text] = (await Promise.race([once(second.stdout, 'data'), once(child, 'exit')])) as unknown[]
    assert.match(String(text), /^line \d+\n/)
  } finally {
    second?.kill()
    child.kill()
    rmSync(folder, { recursive: true })
  }
})
