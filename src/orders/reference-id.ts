const REFERENCE_ID_PATTERN = /^[A-Za-z0-9._:-]{8,100}$/

/** Whether `value` is a well-formed referenceId (contract "Reference IDs"), on reads as well as creation. */
export function isReferenceId(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 100 && REFERENCE_ID_PATTERN.test(value)
}
