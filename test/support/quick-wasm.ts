/**
 * Flags of Node for a short-lived process that runs PGlite: V8 compiles WebAssembly once, quickly, and never again, better.
 * Optimising half of PostgreSQL costs more than a test file, which runs each function a few times, ever gets back.
 */
export const QUICK_WASM: readonly string[] = ['--liftoff-only']
