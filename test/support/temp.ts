import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'

const folders = new Set<string>()

process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A new folder that is removed when this process ends. */
export function temporaryFolder(name = 'test'): string {
  const folder = mkdtempSync(path.join(tmpdir(), `coin-${name}-`))
  folders.add(folder)
  return folder
}
