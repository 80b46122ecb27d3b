import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Config } from '../../config/loadConfig.ts'
import { ask } from './ask.ts'
import type { Findings } from './Report.ts'

/** Hosted's name of a project, by the address of its API or of its database; null for other homes. */
export function projectOf(url: string, dbUrl: string): string | null {
  const byUrl = /^https:\/\/([a-z]{20})\.supabase\.(?:co|in|red)$/.exec(url)?.[1]
  const byDatabase = /^postgres(?:ql)?:\/\/postgres\.([a-z]{20}):|@db\.([a-z]{20})\.supabase\.co\b/.exec(
    dbUrl,
  )
  return byUrl ?? byDatabase?.[1] ?? byDatabase?.[2] ?? null
}

const kinds = ['confirmation', 'magic_link', 'invite', 'recovery'] as const

/** What the dashboard's settings hold, which neither database nor services tell. */
const hidden = [
  ['hook', 'Whether the "before user created" hook is on can\'t be seen from here'],
  [
    'smtp',
    "Whether a mail server is set up can't be seen from here: without one, hosted sends 2 mails an hour",
  ],
  ['templates', "The texts of mails can't be seen from here"],
  ['redirects', "Where mailed links may lead can't be seen from here"],
  ['expiry', "How long tokens live can't be seen from here"],
] as const

/**
 * Says of each setting that only hosted's management API knows how it could be seen: with an access token there,
 * in the environment of the services on a home of one's own.
 */
export function cannotSeeSettings(config: Config, hosted: boolean, findings: Findings): void {
  const way = hosted
    ? 'give --access-token, or look in the dashboard'
    : 'look in the environment of the auth service (GOTRUE_…)'
  for (const [about, sentence] of hidden) {
    if (about === 'hook' && !config.at('auth.hook.before_user_created.enabled', false)) continue
    if (about === 'templates' && !kinds.some((kind) => templateOf(config, kind) !== null)) continue
    findings.cannotSee(about, `${sentence}; ${way}.`)
  }
}

/** A mail's subject and text as `config.toml` has them; null where it leaves them to the service. */
function templateOf(config: Config, kind: string): { subject: string; content: string } | null {
  const subject = config.at(`auth.email.template.${kind}.subject`, '')
  const path = config.at(`auth.email.template.${kind}.content_path`, '')
  if (subject === '' && path === '') return null
  const places = [join(dirname(config.dir), path), join(config.dir, path)]
  const file = path === '' ? undefined : places.find((place) => existsSync(place))
  return { subject, content: file === undefined ? '' : readFileSync(file, 'utf8') }
}

/** Reads a project's settings by the management API (all by GET) and compares them with `config.toml`. */
export async function checkManagement(
  o: {
    project: string
    token: string
    config: Config
    /** Where people reach the application, or null where that was not said. */
    site: string | null
    functions: readonly string[]
    /** The management API; Supabase's own unless said. */
    api?: string
  },
  findings: Findings,
): Promise<void> {
  const base = `${o.api ?? 'https://api.supabase.com'}/v1/projects/${o.project}`
  const read = (path: string) => ask(`${base}/${path}`, { headers: { authorization: `Bearer ${o.token}` } })
  const auth = await read('config/auth')
  if (auth?.status !== 200 || !auth.json) {
    findings.miss(
      'access-token',
      `Supabase's management API does not show the project ${o.project} to this access token (${auth?.status ?? 'no answer'}).`,
    )
    return
  }
  checkAuth(auth.json, o.config, o.site, findings)
  const realtime = await read('config/realtime')
  const known = findings.missing.some(({ about }) => about === 'topics')
  if (!known && o.config.at('realtime.private_only', false) && realtime?.json?.['private_only'] === false) {
    findings.miss(
      'topics',
      'The settings of Realtime allow public channels: switch off "Allow public access".',
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
      findings.miss(
        'hook',
        `The "before user created" hook is off: everyone may make an account. It should call ${uri}`,
      )
    } else if (found['hook_before_user_created_uri'] !== uri) {
      findings.miss(
        'hook',
        `The "before user created" hook calls ${String(found['hook_before_user_created_uri'])}, where it should call ${uri}`,
      )
    }
  }
  if (!found['smtp_host']) {
    findings.miss(
      'smtp',
      'No mail server is set up: hosted sends 2 mails an hour, and only to members of its team.',
    )
  }
  const expiry = config.at('auth.jwt_expiry', 3600)
  if (typeof found['jwt_exp'] === 'number' && found['jwt_exp'] > expiry) {
    findings.miss(
      'expiry',
      `Tokens live ${found['jwt_exp']} s, where config.toml has ${expiry}: so long may a socket outlive a membership.`,
    )
  }
  checkRedirects(found, site, findings)
  for (const kind of kinds) {
    const wanted = templateOf(config, kind)
    if (!wanted) continue
    const same = (key: string, text: string): boolean =>
      text === '' || String(found[key] ?? '').trim() === text.trim()
    if (
      !same(`mailer_subjects_${kind}`, wanted.subject) ||
      !same(`mailer_templates_${kind}_content`, wanted.content)
    ) {
      findings.miss('templates', `The mail "${kind}" is not that of config.toml: npx supabase config push`)
    }
  }
}

function checkRedirects(found: Record<string, unknown>, site: string | null, findings: Findings): void {
  const siteUrl = String(found['site_url'] ?? '').replace(/\/+$/, '')
  if (site === null) {
    findings.cannotSee(
      'redirects',
      `Mailed links lead to ${siteUrl || 'nowhere'}; whether that is right depends on --site.`,
    )
    return
  }
  const allowed = String(found['uri_allow_list'] ?? '')
    .split(',')
    .map((one) => one.trim())
  if (siteUrl !== site) {
    findings.miss('redirects', `Mailed links lead to ${siteUrl || 'nowhere'}: the site URL should be ${site}`)
  }
  if (!allowed.some((one) => one === `${site}/**` || one === `${site}/*`)) {
    findings.miss('redirects', `${site}/** is not among the redirect URLs: mailed links lose their way.`)
  }
}

async function checkDeployed(
  answer: { json: unknown } | null,
  names: readonly string[],
  findings: Findings,
): Promise<void> {
  if (!Array.isArray(answer?.json)) return
  const deployed = new Set((answer.json as { slug: string; status: string }[]).map(({ slug }) => slug))
  for (const name of names) {
    if (!deployed.has(name))
      findings.miss('function', `The function ${name} is not deployed: npx supabase functions deploy ${name}`)
  }
}
