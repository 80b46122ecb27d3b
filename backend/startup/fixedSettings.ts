import { LANGUAGES } from '../../wire/languages.ts'
import { isTable, valueAt } from '../config/configTree.ts'
import type { Config } from '../config/loadConfig.ts'
import { readAllowed } from '../jobs/http/parseAllowed.ts'
import type { Pool } from '../postgres/connections/pool.ts'

/** Bounds of whole numbers in `[settings]`. */
const numbers: Record<string, [min: number, max: number]> = {
  mail_delay_minutes: [0, 10_080],
  mail_interval_minutes: [0, 10_080],
  mail_max_per_hour: [0, 1_000_000],
  invitation_mails_per_day: [0, 1_000_000],
  link_previews_per_hour: [0, 1_000_000],
  account_deletion_days: [0, 3_650],
  workspace_deletion_days: [0, 3_650],
  temporary_ban_days: [0, 36_500],
  search_messages_examined: [1, 1_000_000],
  search_messages_deeper: [1, 1_000_000],
  search_messages_compared: [1, 1_000_000],
  search_segments: [1, 1_000_000],
  list_files_examined: [1, 1_000_000],
}

const languages = Object.keys(LANGUAGES)

/** The accepted texts of settings in `[settings]`. */
const texts: Record<string, { pattern: RegExp; expected: string }> = {
  mail_language: {
    pattern: new RegExp(`^(${languages.join('|')})$`),
    expected: `must be ${languages.map((one) => `"${one}"`).join(' or ')}.`,
  },
  mail_off_until: { pattern: /^infinity$/, expected: 'must be "infinity", which turns these emails off.' },
  push_contact: {
    pattern: /^(mailto:[^\s@]+@[^\s@]+|https:\/\/\S+)$/,
    expected: 'must be an address such as "mailto:admin@example.org" or "https://example.org".',
  },
  push_endpoints: { pattern: /./, expected: 'must be a regular expression.' },
  outgoing_webhook_urls: { pattern: /./, expected: 'must be a regular expression.' },
}

/** The rows of `public.settings` that `[settings]` contains, by key. Throws ConfigError. */
export function readFixedSettings(config: Config): Record<string, unknown> {
  const section = valueAt(config.tree, 'settings')
  const rows: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(isTable(section) ? section : {})) {
    const path = `settings.${key}`
    if (Object.hasOwn(numbers, key)) rows[key] = wholeNumber(config, path, ...numbers[key]!)
    else if (Object.hasOwn(texts, key)) {
      const { pattern, expected } = texts[key]!
      if (!pattern.test(String(value))) throw config.errorAt(path, expected)
      rows[key] = value
    } else if (key === 'mail_text') rows[key] = config.at(path, true)
    else if (key === 'push_allowed') {
      readAllowed(config, path)
      rows[key] = config.at<string[]>(path, [])
    } else if (key === 'rate_limits') rows[key] = rateLimits(config, value)
  }
  return rows
}

function wholeNumber(config: Config, path: string, min: number, max: number): number {
  const value = config.at(path, min)
  if (Number.isInteger(value) && value >= min && value <= max) return value
  throw config.errorAt(path, `must be a whole number from ${min} to ${max}, not ${value}`)
}

/** Each kind needs both numbers: the default of the other one may not fit. */
function rateLimits(config: Config, section: unknown): Record<string, unknown> {
  const limits = Object.entries(isTable(section) ? section : {}).map(([kind, limit]) => {
    const path = `settings.rate_limits.${kind}`
    const names = ['per_minute', 'burst'] as const
    const missing = names.find((name) => valueAt(config.tree, `${path}.${name}`) === undefined)
    if (missing !== undefined && isTable(limit)) throw config.errorAt(path, `needs ${missing}.`)
    return [
      kind,
      Object.fromEntries(names.map((name) => [name, wholeNumber(config, `${path}.${name}`, 1, 100_000_000)])),
    ]
  })
  return Object.fromEntries(limits)
}

/** The settings that SQL uses as regular expressions. */
const expressions = ['push_endpoints', 'outgoing_webhook_urls']

/** Throws ConfigError if PostgreSQL refuses a regular expression. */
async function requireExpressions(
  pool: Pool,
  config: Config,
  settings: Record<string, unknown>,
): Promise<void> {
  for (const key of expressions.filter((name) => Object.hasOwn(settings, name))) {
    try {
      await pool.query("select '' ~ $1::text", [settings[key]])
    } catch (error) {
      const invalidRegularExpression = '2201B'
      if ((error as { code?: string }).code !== invalidRegularExpression) throw error
      throw config.errorAt(`settings.${key}`, `is refused by PostgreSQL: ${(error as Error).message}.`)
    }
  }
}

/**
 * Stores the settings in the schema and fixes them, in one transaction. Settings that are missing get back the values that
 * they had before. Throws ConfigError if the schema of another project cannot store them, or if a regular expression is
 * invalid.
 * @param pool connects as postgres: a function of another project's schema must not run as a superuser
 * @param config the source of the settings, for the messages of errors
 */
export async function applyFixedSettings(
  pool: Pool,
  config: Config,
  settings: Record<string, unknown>,
): Promise<void> {
  const { rows } = await pool.query<{ known: boolean }>(
    "select to_regprocedure('app.apply_fixed_settings(jsonb)') is not null as known",
  )
  if (rows[0]!.known) {
    await requireExpressions(pool, config, settings)
    await pool.query('select app.apply_fixed_settings($1::jsonb)', [JSON.stringify(settings)])
  } else if (Object.keys(settings).length > 0) {
    throw config.errorAt('settings', "needs Linnet's own schema. Remove this section")
  }
}
