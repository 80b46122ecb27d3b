import { readAuthSettings } from '../auth/settings/authSettings.ts'
import { loadMailTemplates } from '../auth/mail/templates/mailTemplates.ts'
import type { Config } from '../config/loadConfig.ts'
import { functionLimits } from '../functions/functionLimits.ts'
import { readSettings } from '../realtime/settings.ts'
import { restSettings } from '../rest/settings/restSettings.ts'
import { configuredSize, freeSpaceReserve } from '../storage/bucket/declareBuckets.ts'

/**
 * Parses the settings of all services, so that a mistake ends the start before migrations and seeds change the data.
 * Throws ConfigError.
 */
export function validateConfig(config: Config): void {
  readAuthSettings(config)
  loadMailTemplates(config)
  restSettings(config)
  readSettings(config)
  functionLimits(config)
  configuredSize(config, 'storage.file_size_limit', '50MiB')
  configuredSize(config, ...freeSpaceReserve)
}
