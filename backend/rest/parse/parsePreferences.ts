/** The `Prefer` header (RFC 7240) as PostgREST 16 knows it. The first value of each preference counts. */
export interface Preferences {
  resolution: 'merge-duplicates' | 'ignore-duplicates' | null
  return: 'representation' | 'minimal' | 'headers-only' | null
  count: 'exact' | 'planned' | 'estimated' | null
  tx: 'commit' | 'rollback' | null
  missing: 'default' | 'null' | null
  handling: 'strict' | 'lenient' | null
  timezone: string | null
  maxAffected: number | null
  /** What isn't one of them: refused under `handling=strict`. */
  invalid: string[]
}

const CHOICES = {
  resolution: ['merge-duplicates', 'ignore-duplicates'],
  return: ['representation', 'minimal', 'headers-only'],
  count: ['exact', 'planned', 'estimated'],
  tx: ['commit', 'rollback'],
  missing: ['default', 'null'],
  handling: ['strict', 'lenient'],
} as const

const NONE: Preferences = {
  resolution: null,
  return: null,
  count: null,
  tx: null,
  missing: null,
  handling: null,
  timezone: null,
  maxAffected: null,
  invalid: [],
}

/**
 * Parses the header; several headers arrive joined by commas. Never throws: strictness is judged later.
 * @param choosesEnd whether `tx` has a say; without it the preference is known, and left alone
 */
export function parsePreferences(header: string | undefined, choosesEnd = true): Preferences {
  if (!header) return NONE
  const chosen: Record<string, unknown> = {}
  const invalid: string[] = []
  for (const item of header.split(',')) {
    const preference = item.trim()
    const equals = preference.indexOf('=')
    const name = preference.slice(0, equals)
    const value = preference.slice(equals + 1)
    if (Object.hasOwn(CHOICES, name)) {
      const choices: readonly string[] = CHOICES[name as keyof typeof CHOICES]
      if (choices.includes(value)) chosen[name] ??= value
      else invalid.push(preference)
    } else if (name === 'timezone') chosen.timezone ??= value
    else if (name === 'max-affected') {
      // More digits than a count can have would not be a number any more.
      if (!('maxAffected' in chosen)) chosen.maxAffected = /^-?\d{1,15}$/.test(value) ? Number(value) : null
    } else if (preference !== '') invalid.push(preference)
  }
  if (!choosesEnd) delete chosen.tx
  return { ...NONE, ...chosen, invalid }
}
