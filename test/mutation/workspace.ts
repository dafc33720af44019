/** Copies of the tree in which mutants are tried, so that nobody's work is touched. */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type Contracts, openContracts } from './contracts.ts'
import { startTypeCheck, type TypeCheck } from './type-check.ts'

export type Workspace = {
  root: string
  /** Where the tests put their temporary files. */
  tmp: string
  /** Puts `text` in the place of the file. */
  write(file: string, text: string): void
  read(file: string): string
  /** The compiler's opinion; started when first asked for. */
  types(): Promise<TypeCheck>
  /** Compiles contracts; opened when first asked for. */
  contracts(): Contracts
  /** Removes what ended tests left in `tmp`. */
  sweep(): void
  remove(): Promise<void>
}

/** What tests keep for one another; see test/support/database.ts. */
const KEPT = /^coin-test-snapshots/

/** Copies the present state of all files that git tracks or would track; node_modules is linked. */
export function createWorkspace(root: string): Workspace {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'coin-mutation-')))
  const copy = path.join(folder, 'tree')
  const tmp = path.join(folder, 'tmp')
  mkdirSync(tmp)
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root })
  for (const file of new Set(listed.toString().split('\0'))) {
    if (file === '' || file === 'node_modules') continue
    try {
      cpSync(path.join(root, file), path.join(copy, file))
    } catch (error) {
      // Git still lists a file that was deleted and not yet committed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
  let types: Promise<TypeCheck> | undefined
  let contracts: Contracts | undefined
  return {
    root: copy,
    tmp,
    write: (file, text) => writeFileSync(path.join(copy, file), text),
    read: (file) => readFileSync(path.join(copy, file), 'utf8'),
    types() {
      types ??= startTypeCheck(copy)
      return types
    },
    contracts() {
      contracts ??= openContracts(copy)
      return contracts
    },
    sweep() {
      for (const name of readdirSync(tmp))
        if (!KEPT.test(name)) rmSync(path.join(tmp, name), { recursive: true, force: true })
    },
    async remove() {
      await (await types?.catch(() => undefined))?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
