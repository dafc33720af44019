/** Says what happens before it does: loading the program takes seconds on a busy machine. Live prints nothing but its log. */
if (process.env.COIN_ENVIRONMENT !== 'live') console.log('Loading the program …')
await import('./program.ts')
