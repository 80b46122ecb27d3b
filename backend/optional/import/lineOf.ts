import { cutText, isVisible } from '../../../wire/texts.ts'

/** The characters that names of people, channels and files must not have: see `app.is_legible` of the schema. */
// oxlint-disable-next-line no-control-regex -- they are removed
const illegible = /[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]+/g

/** A text of one line with at most `max` characters; empty for anything else, and if nothing of it can be seen. */
export function lineOf(value: unknown, max: number): string {
  if (typeof value !== 'string') return ''
  const line = cutText(value.replaceAll(illegible, ' ').replaceAll(/ {2,}/g, ' ').trim(), max).trim()
  return isVisible(line) ? line : ''
}
