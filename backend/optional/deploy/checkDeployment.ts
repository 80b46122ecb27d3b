import { exposedSchemas } from '../../config/exposedSchemas.ts'
import { loadConfig } from '../../config/loadConfig.ts'
import { checkDatabase } from './checkDatabase.ts'
import { reportUncheckedSettings, checkManagement, projectRefOf } from './checkManagement.ts'
import { checkPartitions } from './checkPartitions.ts'
import { checkServices, functionsOf } from './checkServices.ts'
import { checkSite } from './checkSite.ts'
import type { createReference } from './createReference.ts'
import { Findings, type Report } from './Report.ts'

export interface Deployment {
  /** The supabase folder that was deployed. */
  supabaseDir: string
  /** Origin of the deployment, without a trailing slash. */
  url: string
  dbUrl: string
  /** The publishable key, or the legacy anonymous one. */
  key: string | null
  /** Token of the management API of hosted projects. */
  accessToken: string | null
  /** Origin where the application is served. */
  site: string | null
  /** For tests: the database to compare with, and the management API. */
  reference?: typeof createReference
  management?: { project: string; api: string }
}

/**
 * Compares a hosted or self-hosted deployment with a supabase folder. It changes nothing: it reads the database in a
 * read-only transaction, sends GET requests to the services and the management API, and joins an empty channel.
 * Throws ConfigError.
 */
export async function checkDeployment(o: Deployment): Promise<Report> {
  const findings = new Findings()
  const config = loadConfig(o.supabaseDir)
  const functions = functionsOf(config)
  const exposed = exposedSchemas(config)
  const { broadcasts } = await checkDatabase({ ...o, exposed }, findings)
  const project = o.management?.project ?? projectRefOf(o.url, o.dbUrl)
  const managed = project !== null && o.accessToken !== null
  await checkServices({ ...o, config, functions, listed: managed }, findings)
  if (broadcasts) await checkPartitions(o.dbUrl, findings)
  if (managed) {
    const api = o.management?.api
    await checkManagement(
      { project, token: o.accessToken!, config, site: o.site, functions, ...(api !== undefined && { api }) },
      findings,
    )
  } else reportUncheckedSettings(config, project !== null, findings)
  if (o.site !== null) await checkSite({ site: o.site, url: o.url, key: o.key }, findings)
  return findings
}
