import type { ConfigureAuthExtension } from '../auth/AuthExtension.ts'
import { readAuthSettings } from '../auth/settings/authSettings.ts'
import { createSettingsReader } from '../auth/settings/createSettingsReader.ts'
import { loadMailTemplates } from '../auth/mail/templates/mailTemplates.ts'
import { readBackupSettings } from '../backup/backupSettings.ts'
import { budgetSettings } from '../budgets/budgetSettings.ts'
import type { Config } from '../config/loadConfig.ts'
import { functionLimits } from '../functions/functionLimits.ts'
import { readAllowed } from '../jobs/http/parseAllowed.ts'
import { readSettings } from '../realtime/settings.ts'
import { restSettings } from '../rest/settings/restSettings.ts'
import { readFixedSettings } from './fixedSettings.ts'
import { readMemorySettings } from './readMemorySettings.ts'
import { configuredSize, freeSpaceReserve } from '../config/configuredSize.ts'

/**
 * Parses the settings of all services, so that a mistake ends the start before migrations and seeds change the data.
 * Throws ConfigError.
 * @param authExtensions optional parts of the auth service
 */
export function validateConfig(config: Config, authExtensions: ConfigureAuthExtension[]): void {
  readAuthSettings(config)
  for (const configure of authExtensions) configure(createSettingsReader(config))
  loadMailTemplates(config)
  restSettings(config)
  readSettings(config)
  functionLimits(config)
  configuredSize(config, 'storage.file_size_limit', '50MiB')
  configuredSize(config, ...freeSpaceReserve)
  readBackupSettings(config, config.dir)
  budgetSettings(config)
  readMemorySettings(config, 0)
  readFixedSettings(config)
  readAllowed(config, 'pg_net.allowed')
}
