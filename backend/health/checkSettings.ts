import { ConfigError, loadConfig, type Config } from '../config/loadConfig.ts'
import { createLocalFinding, limitDetails, type LocalFinding } from './LocalFinding.ts'

/** The settings of an installation, or why they cannot be used. */
export type SettingsFacts = { config: Config } | { error: string }

/** Judges the settings files. */
export function judgeSettings(facts: SettingsFacts): LocalFinding[] {
  if ('error' in facts) return [createLocalFinding('settings.invalid', {}, { details: [facts.error] })]
  const { warnings } = facts.config
  if (warnings.length === 0) return [createLocalFinding('settings.valid', {})]
  return [
    createLocalFinding(
      'settings.warnings',
      { warnings: warnings.length },
      { details: limitDetails(warnings) },
    ),
  ]
}

/**
 * Reads the settings files, and checks the settings of all services.
 * @param validate throws ConfigError for a value that a service refuses
 */
export function readSettings(
  { supabaseDir, dataDir }: { supabaseDir: string; dataDir: string },
  validate: (config: Config) => void,
): SettingsFacts {
  try {
    const config = loadConfig(supabaseDir, dataDir)
    validate(config)
    return { config }
  } catch (error) {
    if (error instanceof ConfigError) return { error: error.message }
    throw error
  }
}
