/** The process in which commands run one after the other (commands.ts): each evaluates the program anew, all else is loaded once. */
import { pathToFileURL } from 'node:url'
import { CLI, type CliResult } from './commands.ts'

let count = 0

process.on('message', ({ args, env }: { args: readonly string[]; env: NodeJS.ProcessEnv }) => {
  void run(args, env).then((result) => process.send?.(result))
})
process.once('disconnect', () => process.exit())

async function run(args: readonly string[], env: NodeJS.ProcessEnv): Promise<CliResult> {
  const [stdout, stderr] = [take(process.stdout), take(process.stderr)]
  process.argv = [process.execPath, CLI, ...args]
  process.env = { ...env }
  process.exitCode = 0
  count += 1
  try {
    await import(`${pathToFileURL(CLI).href}?${count}`)
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  }
  const code = Number(process.exitCode)
  process.exitCode = 0
  return { code, stdout: stdout(), stderr: stderr() }
}

/** Collects what is written from now on. @returns all of it; the listeners that the command left are gone then */
function take(stream: NodeJS.WriteStream): () => string {
  let written = ''
  stream.write = ((chunk: string | Uint8Array) => {
    written += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }) as typeof stream.write
  return () => {
    stream.removeAllListeners('error')
    return written
  }
}
