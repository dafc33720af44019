// Run by npm when it has installed, so it has to run on any Node that npm runs on.
const OLDEST = { major: 20, minor: 19 }
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)

if (major < OLDEST.major || (major === OLDEST.major && minor < OLDEST.minor)) {
  console.error(
    `npm left packages out, among them the local chain, because they cannot be installed by Node ${process.versions.node}. Install Node ${OLDEST.major}.${OLDEST.minor} or newer from https://nodejs.org, then run \`npm ci\` again.`,
  )
  process.exit(1)
}
await import('./link-node.js')
