import { loadConfig } from '../../config/loadConfig.ts'
import { checkDatabase } from './checkDatabase.ts'
import { cannotSeeSettings, checkManagement, projectOf } from './checkManagement.ts'
import { checkPartitions } from './checkPartitions.ts'
import { checkServices, functionsOf } from './checkServices.ts'
import { checkSite } from './checkSite.ts'
import type { makeReference } from './makeReference.ts'
import { Findings, type Report } from './Report.ts'

export interface Deployment {
  /** The folder that was deployed. */
  supabaseDir: string
  /** Origin of the home, without a slash at its end. */
  url: string
  dbUrl: string
  /** The publishable key, or the legacy anonymous one. */
  key: string | null
  /** Of hosted's management API. */
  accessToken: string | null
  /** Where the application is served; asked for Linnet's own schema. */
  site: string | null
  /** For tests: what the database is compared with, and where the management API is. */
  reference?: typeof makeReference
  management?: { project: string; api: string }
}

/**
 * Says what a hosted or self-hosted home lacks of what a supabase folder asks for. Reads only: the database in a
 * transaction that can't write, the services and the management API by GET and by joining a channel that is empty.
 * Throws ConfigError on a bad config.toml.
 */
export async function checkDeployment(o: Deployment): Promise<Report> {
  const findings = new Findings()
  const config = loadConfig(o.supabaseDir)
  const functions = functionsOf(config)
  const exposed = config.at('api.schemas', ['public'])
  const { broadcasts } = await checkDatabase({ ...o, exposed }, findings)
  const project = o.management?.project ?? projectOf(o.url, o.dbUrl)
  const managed = project !== null && o.accessToken !== null
  await checkServices({ ...o, config, functions, listed: managed }, findings)
  if (broadcasts) await checkPartitions(o.dbUrl, findings)
  if (managed) {
    const api = o.management?.api
    await checkManagement(
      { project, token: o.accessToken!, config, site: o.site, functions, ...(api !== undefined && { api }) },
      findings,
    )
  } else cannotSeeSettings(config, project !== null, findings)
  if (o.site !== null) await checkSite({ site: o.site, url: o.url, key: o.key }, findings)
  return findings
}
