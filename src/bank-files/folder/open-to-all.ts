/** Whether everybody on this machine could speak for the bank: what lies in these folders is believed. */
import path from 'node:path'
import { type FileOps, foldersOf, undefinedWhenMissing } from './layout.ts'

const OTHERS_MAY_WRITE = 0o002

/** The bank folder, and those in it, into which every user of this machine may write; none where the system keeps no such modes. */
export async function listOpenToAll(fs: Pick<FileOps, 'stat'>, root: string): Promise<string[]> {
  const open: string[] = []
  for (const folder of [root, ...Object.values(foldersOf(root))]) {
    const stats = await fs.stat(folder).catch(undefinedWhenMissing)
    if (process.platform !== 'win32' && stats !== undefined && (stats.mode & OTHERS_MAY_WRITE) !== 0)
      open.push(path.resolve(folder))
  }
  return open
}
