import { errors } from '../errors.ts'

/** Maximum length of the header; real ones have less than a tenth of it. */
const maxLength = 1000

const rules = new Set([
  'all',
  'noindex',
  'nofollow',
  'none',
  'nosnippet',
  'indexifembedded',
  'notranslate',
  'noimageindex',
])

const isBound = (text: string): boolean => /^(-1|\d{1,9})$/.test(text)

/** Rules with a value: its description, and its validation. */
const rulesWithValue: Record<string, [must: string, isSo: (value: string) => boolean]> = {
  'max-snippet': ['an integer >= -1', isBound],
  'max-video-preview': ['an integer >= -1', isBound],
  'max-image-preview': [
    'one of: none, standard, large',
    (value) => ['none', 'standard', 'large'].includes(value),
  ],
  unavailable_after: ['a valid date', (value) => !Number.isNaN(Date.parse(value))],
}

/** Splits a list of rules at commas, except those within a date. */
function splitRules(text: string): string[] {
  const parts: string[] = []
  for (const part of text.split(',').map((one) => one.trim())) {
    const last = parts.at(-1)
    const isContinuation =
      last?.startsWith('unavailable_after:') && !rules.has(part) && !/^[\w-]+:/.test(part)
    if (isContinuation) parts[parts.length - 1] = `${last}, ${part}`
    else parts.push(part)
  }
  return parts
}

/** The error of an `X-Robots-Tag`, with upstream's message; null if it is valid. */
function findFault(tag: string): string | null {
  if (tag.trim() === '') return 'X-Robots-Tag header value must be a non-empty string'
  if (tag.length > maxLength || /[^\x20-\x7e]/.test(tag)) return 'Invalid X-Robots-Tag rule'
  for (const part of splitRules(tag)) {
    if (part === '') return 'X-Robots-Tag header contains empty rule'
    if (rules.has(part)) continue
    const [, name, value] = /^([^:]*):(.*)$/.exec(part) ?? []
    if (name === undefined || value === undefined) return `Invalid X-Robots-Tag rule: "${part}"`
    const fault = findFaultInPair(name.trim(), value.trim())
    if (fault !== null) return fault
  }
  return null
}

/** Checks a rule with its value, or a user agent with a rule for it. */
function findFaultInPair(name: string, value: string): string | null {
  const rule = Object.hasOwn(rulesWithValue, name) ? rulesWithValue[name] : undefined
  if (!rule)
    return value === '' ? `X-Robots-Tag user agent "${name}" has no rules specified` : findFault(value)
  const [must, isSo] = rule
  if (value === '') return `X-Robots-Tag rule "${name}" requires a value`
  return isSo(value) ? null : `X-Robots-Tag "${name}" value must be ${must}, got: "${value}"`
}

/** The `X-Robots-Tag` of a response; 'none' where the row has no valid one. */
export function cleanRobotsTag(tag: unknown): string {
  return typeof tag === 'string' && findFault(tag) === null ? tag : 'none'
}

/** The tag of an upload. Throws InvalidRequest where it is invalid. */
export function readRobotsTag(tag: string | string[] | undefined): string | undefined {
  if (tag === undefined || tag === '') return undefined
  const text = String(tag)
  const fault = findFault(text)
  if (fault !== null) throw errors.invalidRobotsTag(fault)
  return text
}
