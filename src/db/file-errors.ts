/** What the system said about a file, in words: in Node's errors, and in those of the embedded database, which are no `Error`s. */

const WORDS: Readonly<Record<string, string>> = {
  EACCES: 'this user may not read or write there',
  EPERM: 'this user may not read or write there',
  EROFS: 'its file system is read-only',
  ENOSPC: 'its disk is full',
  EDQUOT: 'this user’s share of its disk is used up',
  EIO: 'its disk cannot be read or written',
  ENOTDIR: 'a part of its path is a file',
  EISDIR: 'it is a folder',
  EEXIST: 'it is a file',
  ENOENT: 'it cannot be made there',
  ENAMETOOLONG: 'its name is too long',
  EMFILE: 'this process may open no more files (ulimit -n)',
  ENFILE: 'this machine may open no more files',
}
/** The embedded database's numbers for them: those of WASI. */
const CODES: Readonly<Record<number, string>> = {
  2: 'EACCES',
  19: 'EDQUOT',
  29: 'EIO',
  51: 'ENOSPC',
  63: 'EPERM',
  69: 'EROFS',
}

/** An error about a file: of which one, when it says so, and why. */
export type FileError = { file: string | undefined; why: string }

/** Reads an error about a file; undefined for any other. */
export function readFileError(error: unknown): FileError | undefined {
  const { name, code, errno, path } = (error ?? {}) as Partial<Record<'name' | 'code' | 'errno' | 'path', unknown>>
  if (name === 'ErrnoError') {
    const known = CODES[Number(errno)] ?? ''
    return { file: undefined, why: WORDS[known] ?? `the system says error ${Number(errno)}` }
  }
  if (typeof code !== 'string' || typeof path !== 'string') return undefined
  return { file: path, why: WORDS[code] ?? `the system says ${code}` }
}
