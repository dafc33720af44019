import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { after, test } from 'node:test'

const MODULE = path.join(import.meta.dirname, 'npm-parent.ts')
const started: number[] = []
after(() => {
  for (const pid of started) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {}
  }
})

/** A program below a shell that does not pass signals on, as npm starts it; what it prints, line by line. */
function startBelowShell(isUnderNpm: boolean) {
  const program = `
    const { whenNpmEnds } = await import(${JSON.stringify(MODULE)})
    whenNpmEnds(() => { console.log('ended'); process.exit() }, ${isUnderNpm})
    const parent = process.ppid
    setInterval(() => { if (process.ppid !== parent) console.log('alone') }, 100)
    console.log(process.pid)`
  const shell = spawn('sh', ['-c', '"$0" "$@"; exit', process.execPath, '--input-type=module', '-e', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface(shell.stdout)[Symbol.asyncIterator]()
  return { shell, nextLine: async () => String((await lines.next()).value) }
}

async function killedShell(isUnderNpm: boolean) {
  const { shell, nextLine } = startBelowShell(isUnderNpm)
  started.push(Number(await nextLine()))
  shell.kill('SIGTERM')
  return nextLine
}

test('what npm has started is told when the shell before it ends', async () => {
  const nextLine = await killedShell(true)
  let line = await nextLine()
  while (line === 'alone') line = await nextLine()
  assert.equal(line, 'ended')
})

test('what anybody else has started goes on alone', async () => {
  const nextLine = await killedShell(false)
  for (let n = 0; n < 12; n += 1) assert.equal(await nextLine(), 'alone')
})
