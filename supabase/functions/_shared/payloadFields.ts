/** A payload that is refused; the message is the name that Slack responds with. */
export class PayloadError extends Error {}

/** An object of a payload. */
export type Fields = Record<string, unknown>

/** Whether a value is an object. */
export function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A text without blanks around it; empty for anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value.trim() : ''
}

/** The object in a field; an empty one for anything else. */
export function objectOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

/** The first objects of a list; none for anything else. */
export function objectsOf(value: unknown, max: number): Fields[] {
  return Array.isArray(value) ? value.slice(0, max).filter(isObject) : []
}
