/** Says what happens before it does: loading the program takes seconds on a busy machine. Live prints nothing but its log. */
if (process.env.COIN_ENVIRONMENT !== 'live') {
  // A reader that has ended, or the full disk of its file, would end the start in its midst, and leave its chain behind.
  process.stdout.on('error', () => {})
  console.log('Loading the program …')
}
await import('./program.ts')
