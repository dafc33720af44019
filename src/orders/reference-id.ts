export const REFERENCE_ID_LENGTH = { min: 8, max: 100 }
/** A well-formed referenceId, as a regular expression for the check and the API's description. */
export const REFERENCE_ID_PATTERN = `^[A-Za-z0-9._:-]{${REFERENCE_ID_LENGTH.min},${REFERENCE_ID_LENGTH.max}}$`
const REFERENCE_ID = new RegExp(REFERENCE_ID_PATTERN)

/** Whether `value` is a well-formed referenceId (contract "Reference IDs"), on reads as well as creation. */
export function isReferenceId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= REFERENCE_ID_LENGTH.max && REFERENCE_ID.test(value)
}
