import type { Config } from '../../config/loadConfig.ts'
import { listFunctionSettings } from '../../functions/load/functionSettings.ts'
import { configuredSize } from '../../storage/bucket/declareBuckets.ts'
import { ask } from './ask.ts'
import { probePublicChannel } from './probePublicChannel.ts'
import type { Findings } from './Report.ts'

/** Names of the functions of a supabase folder, but those that its configuration switches off. */
export function functionsOf(config: Config): string[] {
  return listFunctionSettings(config)
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name)
}

/** Asks the services of a home what they say to a public key. Calls no function and stores nothing. */
export async function checkServices(
  o: { url: string; key: string | null; config: Config; functions: readonly string[]; listed: boolean },
  findings: Findings,
): Promise<void> {
  const { url, key, config } = o
  if (key === null) {
    findings.cannotSee(
      'services',
      'What the services answer can only be asked with the publishable key: --key',
    )
    return
  }
  const headers = { apikey: key }
  const settings = await ask(`${url}/auth/v1/settings`, { headers })
  if (!settings) {
    findings.miss('url', `${url} does not answer.`)
    return
  }
  if (settings.status === 401 || settings.status === 403) {
    findings.miss('key', `${url} does not know the key that was given with --key.`)
    return
  }
  if (settings.status !== 200 || !settings.json) {
    findings.miss('url', `${url} is no Supabase: /auth/v1/settings answers ${settings.status}.`)
    return
  }
  checkSettings(settings.json, config, findings)
  await checkSchemas(url, headers, config, findings)
  if (config.at('realtime.private_only', false)) await checkTopics(url, key, findings)
  if (config.at('storage.enabled', true)) await checkUploadLimit(url, headers, config, findings)
  if (!o.listed) await checkFunctions(url, headers, o.functions, findings)
}

function checkSettings(settings: Record<string, unknown>, config: Config, findings: Findings): void {
  const external = (settings['external'] ?? {}) as Record<string, unknown>
  const compare = (about: string, found: unknown, wanted: boolean, sentence: string): void => {
    if (typeof found === 'boolean' && found !== wanted) findings.miss(about, sentence)
  }
  const signUp = config.at('auth.enable_signup', true)
  compare(
    'sign-up',
    settings['disable_signup'],
    !signUp,
    `Sign-up is ${signUp ? 'off' : 'on'}, where config.toml has it ${signUp ? 'on' : 'off'}.`,
  )
  const email = config.at('auth.email.enabled', config.at('auth.email.enable_signup', true))
  compare(
    'email',
    external['email'],
    email,
    `Sign-up by e-mail is ${email ? 'off' : 'on'}, where config.toml has it ${email ? 'on' : 'off'}.`,
  )
  const anonymous = config.at('auth.enable_anonymous_sign_ins', false)
  compare(
    'anonymous',
    external['anonymous_users'],
    anonymous,
    `Anonymous sign-in is ${anonymous ? 'off' : 'on'}, where config.toml has it ${anonymous ? 'on' : 'off'}.`,
  )
  const confirms = config.at('auth.email.enable_confirmations', false)
  compare(
    'confirmation',
    settings['mailer_autoconfirm'],
    !confirms,
    confirms
      ? 'Addresses are not confirmed: anyone may sign up with the address of somebody else.'
      : 'Addresses must be confirmed, where config.toml does not ask for it.',
  )
}

/** The data API names the schemas that it serves to whoever asks for another one. */
async function checkSchemas(
  url: string,
  headers: Record<string, string>,
  config: Config,
  findings: Findings,
): Promise<void> {
  const answer = await ask(`${url}/rest/v1/linnet_check`, {
    headers: { ...headers, 'accept-profile': 'linnet_check' },
  })
  const said = `${String(answer?.json?.['message'] ?? '')} ${String(answer?.json?.['hint'] ?? '')}`
  const named = /following(?: schemas are exposed)?: (.*?)\s*$/.exec(said)?.[1]
  if (named === undefined) {
    findings.cannotSee('schemas', 'The data API does not say which schemas it serves.')
    return
  }
  const served = named.split(',').map((name) => name.trim())
  const wanted = config.at('api.schemas', ['public', 'graphql_public'])
  for (const schema of wanted) {
    if (served.includes(schema) || schema === 'graphql_public') continue
    findings.miss('schemas', `The data API does not serve the schema ${schema}.`)
  }
  for (const schema of served) {
    if (wanted.includes(schema) || schema === 'graphql_public') continue
    findings.miss('schemas', `The data API serves the schema ${schema}, which config.toml does not expose.`)
  }
}

/** Storage states the limit of the whole project, which caps that of each bucket, to whoever may upload resumably. */
async function checkUploadLimit(
  url: string,
  headers: Record<string, string>,
  config: Config,
  findings: Findings,
): Promise<void> {
  const answer = await ask(`${url}/storage/v1/upload/resumable`, { method: 'OPTIONS', headers })
  const limit = Number(answer?.headers.get('tus-max-size'))
  if (!(limit > 0)) {
    findings.cannotSee('upload-limit', 'The storage service does not state the largest file that it accepts.')
    return
  }
  const wanted = configuredSize(config, 'storage.file_size_limit', '50MiB')
  if (limit >= wanted) return
  const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`
  findings.miss(
    'upload-limit',
    `Storage accepts files of at most ${mebibytes(limit)}, where config.toml has ${mebibytes(wanted)}: uploads of larger files are refused, whatever the limit of their bucket. Raise the upload limit in the settings of Storage (50 MiB is the most on the free plan), or set file_size_limit in [storage] to what the project has.`,
  )
}

async function checkTopics(url: string, key: string, findings: Findings): Promise<void> {
  const outcome = await probePublicChannel(url, key)
  if (outcome === 'open') {
    findings.miss(
      'topics',
      'Realtime allows public channels: whoever has the key may talk there, past every policy. Switch off "Allow public access" in the settings of Realtime.',
    )
  }
  if (outcome === 'silent') findings.miss('topics', 'Realtime does not answer a WebSocket with this key.')
}

/** OPTIONS is what a browser asks before a call: it finds the function, and does nothing in it. */
async function checkFunctions(
  url: string,
  headers: Record<string, string>,
  names: readonly string[],
  findings: Findings,
): Promise<void> {
  for (const name of names) {
    const answer = await ask(`${url}/functions/v1/${name}`, { method: 'OPTIONS', headers })
    if (answer === null || answer.status === 404) {
      findings.miss('function', `The function ${name} is not deployed: npx supabase functions deploy ${name}`)
    }
  }
}
