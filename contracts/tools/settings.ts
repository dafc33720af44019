/**
 * How the contracts are compiled: the one place that says so, for what is deployed (`generate.ts`) and for what the
 * tests run (`forge.ts`). Metadata is left out, so that the bytecode depends on nothing but code and settings.
 */
export const compilerSettings = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1000 },
} as const
