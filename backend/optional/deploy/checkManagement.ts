import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/loadConfig.ts'
import { fetchText } from './fetchText.ts'
import type { Findings } from './Report.ts'

/** The reference of a hosted project, from the URL of its API or its database; null for other deployments. */
export function projectRefOf(url: string, dbUrl: string): string | null {
  const byUrl = /^https:\/\/([a-z]{20})\.supabase\.(?:co|in|red)$/.exec(url)?.[1]
  const byDatabase = /^postgres(?:ql)?:\/\/postgres\.([a-z]{20}):|@db\.([a-z]{20})\.supabase\.co\b/.exec(
    dbUrl,
  )
  return byUrl ?? byDatabase?.[1] ?? byDatabase?.[2] ?? null
}

const kinds = ['confirmation', 'magic_link', 'invite', 'recovery'] as const

/** Settings of the dashboard that neither the database nor the services expose. */
const uncheckedSettings = [
  ['hook', 'Whether the "before user created" hook is on can\'t be checked from here'],
  [
    'smtp',
    "Whether a mail server is set up can't be checked from here: without one, hosted sends 2 mails an hour",
  ],
  ['templates', "The texts of mails can't be checked from here"],
  ['redirects', "Where mailed links may lead can't be checked from here"],
  ['expiry', "How long tokens live can't be checked from here"],
] as const

/**
 * Adds a finding for each setting that can't be checked, with a way to check it: an access token for hosted projects, the
 * environment of the services for self-hosted ones.
 */
export function reportUncheckedSettings(config: Config, hosted: boolean, findings: Findings): void {
  const advice = hosted
    ? 'use --access-token, or check the dashboard'
    : 'check the environment of the auth service (GOTRUE_…)'
  for (const [about, sentence] of uncheckedSettings) {
    if (about === 'hook' && !config.at('auth.hook.before_user_created.enabled', false)) continue
    if (about === 'templates' && !kinds.some((kind) => templateOf(config, kind) !== null)) continue
    findings.reportUnchecked(about, `${sentence}; ${advice}.`)
  }
}

/** The subject and the content of an email template in `config.toml`; null if neither is set. */
function templateOf(config: Config, kind: string): { subject: string; content: string } | null {
  const subject = config.at(`auth.email.template.${kind}.subject`, '')
  const path = config.at(`auth.email.template.${kind}.content_path`, '')
  if (subject === '' && path === '') return null
  const places = [join(dirname(config.dir), path), join(config.dir, path)]
  const file = path === '' ? undefined : places.find((place) => existsSync(place))
  return { subject, content: file === undefined ? '' : readFileSync(file, 'utf8') }
}

/** Compares a project's settings, from GET requests to the management API, with `config.toml`. */
export async function checkManagement(
  o: {
    project: string
    token: string
    config: Config
    /** Origin of the application, or null if it is not known. */
    site: string | null
    functions: readonly string[]
    /** URL of the management API; by default Supabase's. */
    api?: string
  },
  findings: Findings,
): Promise<void> {
  const base = `${o.api ?? 'https://api.supabase.com'}/v1/projects/${o.project}`
  const read = (path: string) =>
    fetchText(`${base}/${path}`, { headers: { authorization: `Bearer ${o.token}` } })
  const auth = await read('config/auth')
  if (auth?.status !== 200 || !auth.json) {
    findings.reportMissing(
      'access-token',
      `Supabase's management API refuses access to the project ${o.project} with this access token (${auth?.status ?? 'no response'}).`,
    )
    return
  }
  checkAuth(auth.json, o.config, o.site, findings)
  const realtime = await read('config/realtime')
  const known = findings.missing.some(({ about }) => about === 'topics')
  if (!known && o.config.at('realtime.private_only', false) && realtime?.json?.['private_only'] === false) {
    findings.reportMissing(
      'topics',
      'The settings of Realtime allow public channels: disable "Allow public access".',
    )
  }
  await checkDeployed(await read('functions'), o.functions, findings)
}

function checkAuth(
  found: Record<string, unknown>,
  config: Config,
  site: string | null,
  findings: Findings,
): void {
  if (config.at('auth.hook.before_user_created.enabled', false)) {
    const uri = config.at('auth.hook.before_user_created.uri', '')
    if (found['hook_before_user_created_enabled'] !== true) {
      findings.reportMissing(
        'hook',
        `The "before user created" hook is off: anyone can create an account. It should call ${uri}`,
      )
    } else if (found['hook_before_user_created_uri'] !== uri) {
      findings.reportMissing(
        'hook',
        `The "before user created" hook calls ${String(found['hook_before_user_created_uri'])}, but should call ${uri}`,
      )
    }
  }
  if (!found['smtp_host']) {
    findings.reportMissing(
      'smtp',
      'No mail server is configured: hosted projects send 2 emails an hour, and only to members of their team.',
    )
  }
  const expiry = config.at('auth.jwt_expiry', 3600)
  if (typeof found['jwt_exp'] === 'number' && found['jwt_exp'] > expiry) {
    findings.reportMissing(
      'expiry',
      `Tokens expire after ${found['jwt_exp']} s, but config.toml has ${expiry}: a removed member's socket can stay open as long.`,
    )
  }
  checkRedirects(found, site, findings)
  for (const kind of kinds) {
    const expected = templateOf(config, kind)
    if (!expected) continue
    const same = (key: string, text: string): boolean =>
      text === '' || String(found[key] ?? '').trim() === text.trim()
    if (
      !same(`mailer_subjects_${kind}`, expected.subject) ||
      !same(`mailer_templates_${kind}_content`, expected.content)
    ) {
      findings.reportMissing(
        'templates',
        `The email template "${kind}" differs from config.toml: npx supabase config push`,
      )
    }
  }
}

function checkRedirects(found: Record<string, unknown>, site: string | null, findings: Findings): void {
  const siteUrl = String(found['site_url'] ?? '').replace(/\/+$/, '')
  if (site === null) {
    findings.reportUnchecked(
      'redirects',
      `Mailed links lead to ${siteUrl || 'nowhere'}. Use --site to check that.`,
    )
    return
  }
  const allowed = String(found['uri_allow_list'] ?? '')
    .split(',')
    .map((one) => one.trim())
  if (siteUrl !== site) {
    findings.reportMissing(
      'redirects',
      `Mailed links lead to ${siteUrl || 'nowhere'}: the site URL should be ${site}`,
    )
  }
  if (!allowed.some((one) => one === `${site}/**` || one === `${site}/*`)) {
    findings.reportMissing(
      'redirects',
      `${site}/** is not among the redirect URLs: mailed links do not lead to their page.`,
    )
  }
}

async function checkDeployed(
  response: { json: unknown } | null,
  names: readonly string[],
  findings: Findings,
): Promise<void> {
  if (!Array.isArray(response?.json)) return
  const deployed = new Set((response.json as { slug: string; status: string }[]).map(({ slug }) => slug))
  for (const name of names) {
    if (!deployed.has(name))
      findings.reportMissing(
        'function',
        `The function ${name} is not deployed: npx supabase functions deploy ${name}`,
      )
  }
}
