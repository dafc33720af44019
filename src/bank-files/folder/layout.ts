/** The folders shared with the bank's transport, and what lies where; docs/BOOKS.md explains them to operators. */
import type { open } from 'node:fs/promises'
import path from 'node:path'

/** The operations of node:fs/promises in use, as one record, so that a test can end the process between any two. */
export type FileOps = Pick<
  typeof import('node:fs/promises'),
  'link' | 'lstat' | 'mkdir' | 'readdir' | 'rename' | 'stat' | 'unlink'
> & { open: typeof open }

export type Folders = {
  /** Payment files for the transport. It copies them, or moves them to `taken`; it never deletes. */
  out: string
  taken: string
  /** Our own copy of every payment file, made first: a number found here is used up. */
  kept: string
  /** What the transport brings: complete files, or names that begin with a dot until they are. */
  in: string
  /** What is being read. */
  working: string
  done: string
  setAside: string
}

/** The folders below a root. */
export function foldersOf(root: string): Folders {
  return {
    out: path.join(root, 'out'),
    taken: path.join(root, 'out', 'taken'),
    kept: path.join(root, 'kept'),
    in: path.join(root, 'in'),
    working: path.join(root, 'working'),
    done: path.join(root, 'done'),
    setAside: path.join(root, 'set-aside'),
  }
}

/** Makes the folders that are missing. They must lie on one file system because files are moved by renaming. */
export async function prepareFolders(fs: FileOps, root: string): Promise<Folders> {
  const folders = foldersOf(root)
  for (const folder of Object.values(folders)) await fs.mkdir(folder, { recursive: true, mode: 0o750 })
  await syncFolder(fs, root)
  return folders
}

/** Makes the names in a folder durable, so that they survive a power cut. */
export async function syncFolder(fs: FileOps, folder: string): Promise<void> {
  const handle = await fs.open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** True for the file system's error about a missing file. */
function isMissing(error: unknown): boolean {
  return codeOf(error) === 'ENOENT'
}

/** For `catch`: a file that is not there is no error. */
export function undefinedWhenMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error
  return undefined
}

/** True for the file system's error about a name that is taken. */
export function isTaken(error: unknown): boolean {
  return codeOf(error) === 'EEXIST'
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
