// Links the Node that came with the installation. npm before 11.6 takes the link to a program away again when packages for other
// platforms, which it leaves out, have one of the same name (npm/cli#4362): `npm start` would then run the machine's own Node.
import { existsSync, linkSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = path.join(root, 'node_modules')
const onWindows = process.platform === 'win32'
const file = onWindows ? 'node.exe' : 'node'

/** Makes npm's scripts run the Node that came with the installation. @returns whether one did */
export function linkNode() {
  const program = programOfThisPlatform()
  if (program === undefined) return false
  link(program, path.join(packages, '.bin', file))
  return true
}

/** The Node that came with the installation, if one did. */
export function programOfThisPlatform() {
  const { optionalDependencies } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const platform = `-${onWindows ? 'win' : process.platform}-${process.arch}`
  return Object.keys(optionalDependencies)
    .filter((name) => name.startsWith('node-') && name.endsWith(platform))
    .map((name) => path.join(packages, name, 'bin', file))
    .find((candidate) => existsSync(candidate))
}

/**
 * @param {string} target the program
 * @param {string} place where npm's scripts look for it
 */
function link(target, place) {
  if (existsSync(place) && realpathSync(place) === realpathSync(target)) return
  mkdirSync(path.dirname(place), { recursive: true })
  rmSync(place, { force: true })
  // Symbolic links need a right of their own on Windows.
  if (onWindows) linkSync(target, place)
  else symlinkSync(path.relative(path.dirname(place), target), place)
}
