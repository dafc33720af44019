/**
 * A folder of PGlite as one file, and that file as the memory of a new one. As a tar, each load would look up the path of each of
 * 800 files several times, which is more than all else that opening a database costs.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'

/** Folders come before what is in them. `size` is undefined for a folder. */
type Entry = { readonly path: string; readonly size?: number }
/** What stands in the files, one after the other. */
export type PackedFolder = { readonly entries: readonly Entry[]; readonly bytes: Uint8Array }

/** What of Emscripten's memory is used: making a file in a folder that is known needs no path. */
type Node = { contents: Uint8Array; usedBytes: number; node_ops: { mknod: MakeNode } }
type MakeNode = (parent: Node, name: string, mode: number, device: number) => Node

const FOLDER = 0o040_777
const FILE = 0o100_666

/** The folder's content as bytes for `unpacked`. */
export function packFolder(folder: string): Buffer {
  const files: Buffer[] = []
  const entries = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name): Entry => {
      const at = name.split(path.sep).join('/')
      if (statSync(path.join(folder, name)).isDirectory()) return { path: at }
      const file = readFileSync(path.join(folder, name))
      files.push(file)
      return { path: at, size: file.length }
    })
  const head = Buffer.from(JSON.stringify(entries))
  const length = Buffer.alloc(4)
  length.writeUInt32BE(head.length)
  return Buffer.concat([length, head, ...files])
}

/** What `packFolder` made. */
export function unpacked(packed: Buffer): PackedFolder {
  const begin = 4 + packed.readUInt32BE(0)
  return { entries: JSON.parse(packed.toString('utf8', 4, begin)), bytes: packed.subarray(begin) }
}

/** For one engine: in memory, and at first what the folder was. */
export class PreparedFiles extends MemoryFS {
  readonly #folder: PackedFolder

  constructor(folder: PackedFolder) {
    super()
    this.#folder = folder
  }

  override async initialSyncFs(): Promise<void> {
    const engine = this.pg
    if (engine === undefined) throw new Error('the engine is not there yet')
    engine.Module.FS.mkdirTree(PGlite.paths.PGDATA)
    const { node } = engine.Module.FS.lookupPath(PGlite.paths.PGDATA, {})
    fill(node as unknown as Node, this.#folder)
  }
}

function fill(root: Node, { entries, bytes }: PackedFolder): void {
  const folders = new Map<string, Node>([['.', root]])
  // What the engine writes, it writes here.
  const own = new Uint8Array(bytes)
  let at = 0
  for (const { path: name, size } of entries) {
    const parent = folders.get(path.posix.dirname(name))
    if (parent === undefined) throw new Error(`${name} is in no folder`)
    const node = parent.node_ops.mknod(parent, path.posix.basename(name), size === undefined ? FOLDER : FILE, 0)
    if (size === undefined) folders.set(name, node)
    else {
      node.contents = own.subarray(at, at + size)
      node.usedBytes = size
      at += size
    }
  }
}

/** Writes a folder that does not exist yet: what `packFolder` read. */
export function writeFolder({ entries, bytes }: PackedFolder, folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  let at = 0
  for (const { path: name, size } of entries) {
    if (size === undefined) mkdirSync(path.join(folder, name), { mode: 0o700 })
    else {
      writeFileSync(path.join(folder, name), bytes.subarray(at, at + size), { mode: 0o600 })
      at += size
    }
  }
}
