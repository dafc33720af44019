/**
 * Loaded before a test file, and before node:test. That follows every promise in order to tell which test a stray failure comes
 * from, which costs a tenth and more of a suite's processor time. What is left, timers, sockets and what else is no promise,
 * tells it nearly always; otherwise the failure is the whole file's.
 */
import hooks from 'node:async_hooks'
import { syncBuiltinESMExports } from 'node:module'

const { createHook } = hooks

hooks.createHook = (callbacks) => createHook({ ...callbacks, trackPromises: false })
syncBuiltinESMExports()
