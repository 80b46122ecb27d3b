/** The `Prefer` header (RFC 7240) of PostgREST 16. The first value of each preference counts. */
export interface Preferences {
  resolution: 'merge-duplicates' | 'ignore-duplicates' | null
  return: 'representation' | 'minimal' | 'headers-only' | null
  count: 'exact' | 'planned' | 'estimated' | null
  tx: 'commit' | 'rollback' | null
  missing: 'default' | 'null' | null
  handling: 'strict' | 'lenient' | null
  timezone: string | null
  maxAffected: number | null
  /** Unknown preferences, refused with `handling=strict`. */
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
 * Parses the header; repeated headers are joined by commas. Never throws: `handling=strict` is checked later.
 * @param allowsTxOverride whether `tx` has an effect; if not, the preference is ignored
 */
export function parsePreferences(header: string | undefined, allowsTxOverride = true): Preferences {
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
      // A longer number would lose precision.
      if (!('maxAffected' in chosen)) chosen.maxAffected = /^-?\d{1,15}$/.test(value) ? Number(value) : null
    } else if (preference !== '') invalid.push(preference)
  }
  if (!allowsTxOverride) delete chosen.tx
  return { ...NONE, ...chosen, invalid }
}
