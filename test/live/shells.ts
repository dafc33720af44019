/** Shells in which people type what a document says, each with variables of its own. */
import { execFileSync } from 'node:child_process'
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type GuardedProcess, startGuarded } from '../support/guarded-process.ts'
import { temporaryFolder } from '../support/temp.ts'
import { waitFor } from '../support/wait-for.ts'

const ROOT = path.join(import.meta.dirname, '../..')
const PATIENCE_MS = 120_000

/** Reads names of files, and runs each; a command that fails ends it. */
const READS_FILES = `
set -e
exec 3<>"$1"
while read -r script typed <&3; do . "$script" <"$typed"; echo "end of $script"; done`

export type Shells = ReturnType<typeof createShells>

/** @param env what every shell begins with */
export function createShells(env: Readonly<Record<string, string | undefined>>) {
  const folder = temporaryFolder('shells')
  const shells = new Map<string, Promise<GuardedProcess>>()
  let count = 0
  const newFile = (text: string): string => {
    count += 1
    const file = path.join(folder, `typed-${count}`)
    writeFileSync(file, text)
    return file
  }
  const pipeOf = (who: string) => path.join(folder, who.replaceAll(' ', '-'))

  function shellOf(who: string): Promise<GuardedProcess> {
    const open = shells.get(who)
    if (open !== undefined) return open
    execFileSync('mkfifo', [pipeOf(who)])
    const started = startGuarded('/bin/sh', ['-c', READS_FILES, 'sh', pipeOf(who)], { env: { ...env }, cwd: ROOT })
    shells.set(who, started)
    return started
  }

  /**
   * Runs commands in somebody's shell.
   * @param typed what is typed on standard input
   * @throws Error with what was printed when a command fails
   */
  async function run(who: string, script: string, typed = ''): Promise<string> {
    const shell = await shellOf(who)
    // Writing to a pipe that nobody reads any more would wait for ever.
    if (!shell.running()) throw new Error(`A command of ${who} has failed before: their shell has ended`)
    const [file, input] = [newFile(script), newFile(typed)]
    const before = shell.output().length
    appendFileSync(pipeOf(who), `${file} ${input}\n`)
    const ended = () => shell.output().includes(`end of ${file}\n`)
    await waitFor(`${who} to have run ${script}`, () => ended() || !shell.running(), { timeoutMs: PATIENCE_MS })
    const printed = shell.output().slice(before)
    if (!ended()) throw new Error(`${who} ran\n${script}\nand saw\n${printed}`)
    return printed.replace(`end of ${file}\n`, '')
  }

  return {
    run,
    /** What a variable of somebody's shell holds. */
    async variable(who: string, name: string): Promise<string> {
      const file = newFile('')
      await run(who, `printf %s "$${name}" > '${file}'`)
      return readFileSync(file, 'utf8')
    },
    async close(): Promise<void> {
      await Promise.all([...shells.values()].map(async (shell) => (await shell).end('SIGKILL')))
    },
  }
}
