// Run by npm when it has installed, so it has to run on any Node that npm runs on.
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (!(major > 22 || (major === 22 && minor >= 12) || (major === 20 && minor >= 19))) {
  console.error(
    `npm left packages out, such as the local chain or what the tests read sources with, because they cannot be installed by Node ${process.versions.node}. Install Node 20.19, or 22.12 or newer, from https://nodejs.org, then run \`npm ci\` again.`,
  )
  process.exit(1)
}
await import('./link-node.js')
