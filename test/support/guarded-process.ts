/** Child processes that never outlive the test that started them, not even when it is killed with -9. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import type { Readable } from 'node:stream'

/**
 * A shell in between starts the command, writes its process id to descriptor 3, and waits. Its standard input is a pipe
 * from the test process; when that process ends in any way, the pipe closes and the command is killed.
 */
const WATCHDOG = `
signal=$1; remove=$2; shift 2
exec 4<&0 5>&3 3>&-
"$@" </dev/null 4<&- 5>&- & child=$!
{ cat >/dev/null; trap '' TERM; kill -s "$signal" $child 2>/dev/null; n=0
  while kill -0 $child 2>/dev/null && [ $n -lt 50 ]; do n=$((n + 1)); sleep 0.1; done
  [ -z "$remove" ] || rm -rf "$remove"; } <&4 5>&- >/dev/null 2>&1 & watcher=$!
echo $child >&5
exec 4<&- 5>&-
wait $child; code=$?
kill $watcher 2>/dev/null
exit $code
`

export type GuardedProcess = {
  /** The command's own process id, not the shell's. */
  pid: number
  output: () => string
  /** True until the command has ended. */
  running: () => boolean
  /** Sends the signal and resolves when the command has ended; after `graceMs` (default 10,000) it is killed. */
  end(signal: NodeJS.Signals, graceMs?: number): Promise<void>
  exited: Promise<number | null>
}

type GuardedOptions = {
  env?: NodeJS.ProcessEnv
  cwd?: string
  uid?: number | undefined
  gid?: number | undefined
  /** The signal to the command when the test process is gone. Default KILL. */
  orphanSignal?: 'KILL' | 'QUIT' | 'TERM'
  /** A folder to remove when the test process is gone. */
  orphanRemoves?: string
  /** Output goes to this file instead of this process, which is then not woken by it. */
  outputFile?: string
}

const OUTPUT_LIMIT = 100_000

/** Starts `command`. The child does not keep the test process alive. */
export async function startGuarded(
  command: string,
  args: readonly string[],
  options: GuardedOptions = {},
): Promise<GuardedProcess> {
  const { uid, gid, outputFile } = options
  const sink = outputFile === undefined ? undefined : openSync(outputFile, 'a')
  const child = spawn(
    '/bin/sh',
    ['-c', WATCHDOG, 'watchdog', options.orphanSignal ?? 'KILL', options.orphanRemoves ?? '', command, ...args],
    {
      stdio: ['pipe', sink ?? 'pipe', sink ?? 'pipe', 'pipe'],
      env: options.env ?? process.env,
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
      ...(uid === undefined ? {} : { uid }),
      ...(gid === undefined ? {} : { gid }),
    },
  )
  const exited = once(child, 'exit').then(([code]) => {
    child.stdin?.destroy()
    return code as number | null
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => {
      output = (output + chunk.toString()).slice(-OUTPUT_LIMIT)
    })
  }
  if (sink !== undefined) closeSync(sink)
  const pid = await readPid(child)
  unref(child)
  const running = () => child.exitCode === null && child.signalCode === null
  return {
    pid,
    output: () => (outputFile === undefined ? output : readFileSync(outputFile, 'utf8')),
    running,
    exited,
    async end(signal, graceMs = 10_000) {
      if (!running()) return
      signalQuietly(pid, signal)
      const timer = setTimeout(() => signalQuietly(pid, 'SIGKILL'), graceMs)
      child.ref()
      await exited
      clearTimeout(timer)
    },
  }
}

async function readPid(child: ChildProcess): Promise<number> {
  const announced = child.stdio[3] as Readable
  let text = ''
  for await (const chunk of announced) text += String(chunk)
  const pid = Number(text.trim())
  if (!Number.isInteger(pid) || pid <= 0) throw new Error('The command could not be started')
  return pid
}

function unref(child: ChildProcess): void {
  child.unref()
  for (const stream of child.stdio) (stream as { unref?: () => void } | null)?.unref?.()
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has already ended by itself.
  }
}
