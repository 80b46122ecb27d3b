const uuid = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i

/** Whether a text is a UUID in its standard form, in upper or lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}
