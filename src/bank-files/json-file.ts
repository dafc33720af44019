/** JSON files that operators write: checked against a schema, and refused with the place of the mistake. */
import type { Static, TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { catchRefusal, type Reading, refuse } from './refusal.ts'

const MAX_CHARACTERS = 1_000_000

/**
 * Makes the reader for one kind of file. `what` names it in messages; unknown fields are refused where the schema says
 * so.
 */
export function jsonFileReader<T extends TSchema>(what: string, schema: T): (text: string) => Reading<Static<T>> {
  const compiled = Compile(schema)
  return (text) =>
    catchRefusal(() => {
      if (text.length > MAX_CHARACTERS) refuse('too_large', `${what} has more than ${MAX_CHARACTERS} characters.`)
      const value = parseJson(what, text)
      if (compiled.Check(value)) return value
      const [problem] = compiled.Errors(value) as unknown as Problem[]
      return refuse('wrong_content', `${what}: ${problem?.instancePath || 'the file'} ${wrongIn(problem)}.`)
    })
}

type Problem = {
  keyword: string
  instancePath: string
  message: string
  params: { allowedValues?: readonly unknown[] }
}

/** A validator's own words say of a misspelt field that its "schema is false", and not which values there are. */
function wrongIn(problem: Problem | undefined): string {
  if (problem?.keyword === 'boolean') return 'is not known here'
  const allowed = problem?.params.allowedValues
  return allowed === undefined ? (problem?.message ?? 'is wrong') : `must be one of ${allowed.join(', ')}`
}

function parseJson(what: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return refuse('malformed', `${what} is not valid JSON.`)
  }
}
