import { exposedSchemas } from '../../config/exposedSchemas.ts'
import type { Config } from '../../config/loadConfig.ts'
import { listFunctionSettings } from '../../functions/load/functionSettings.ts'
import { configuredSize } from '../../config/configuredSize.ts'
import { fetchText } from './fetchText.ts'
import { probePublicChannel } from './probePublicChannel.ts'
import type { Findings } from './Report.ts'

/** Names of the enabled functions of a supabase folder. */
export function functionsOf(config: Config): string[] {
  return listFunctionSettings(config)
    .filter(({ enabled }) => enabled)
    .map(({ name }) => name)
}

/** Checks the services with the publishable key. Calls no functions and stores nothing. */
export async function checkServices(
  o: { url: string; key: string | null; config: Config; functions: readonly string[]; listed: boolean },
  findings: Findings,
): Promise<void> {
  const { url, key, config } = o
  if (key === null) {
    findings.reportUnchecked('services', 'The services can only be checked with the publishable key: --key')
    return
  }
  const headers = { apikey: key }
  const settings = await fetchText(`${url}/auth/v1/settings`, { headers })
  if (!settings) {
    findings.reportMissing('url', `${url} does not respond.`)
    return
  }
  if (settings.status === 401 || settings.status === 403) {
    findings.reportMissing('key', `${url} does not accept the key in --key.`)
    return
  }
  if (settings.status !== 200 || !settings.json) {
    findings.reportMissing(
      'url',
      `${url} is not a Supabase project: /auth/v1/settings responds ${settings.status}.`,
    )
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
  const compare = (about: string, found: unknown, expected: boolean, sentence: string): void => {
    if (typeof found === 'boolean' && found !== expected) findings.reportMissing(about, sentence)
  }
  const signUp = config.at('auth.enable_signup', true)
  compare(
    'sign-up',
    settings['disable_signup'],
    !signUp,
    `Sign-up is ${signUp ? 'off' : 'on'}, but config.toml has it ${signUp ? 'on' : 'off'}.`,
  )
  const email = config.at('auth.email.enabled', config.at('auth.email.enable_signup', true))
  compare(
    'email',
    external['email'],
    email,
    `Sign-up by e-mail is ${email ? 'off' : 'on'}, but config.toml has it ${email ? 'on' : 'off'}.`,
  )
  const anonymous = config.at('auth.enable_anonymous_sign_ins', false)
  compare(
    'anonymous',
    external['anonymous_users'],
    anonymous,
    `Anonymous sign-in is ${anonymous ? 'off' : 'on'}, but config.toml has it ${anonymous ? 'on' : 'off'}.`,
  )
  const confirms = config.at('auth.email.enable_confirmations', false)
  compare(
    'confirmation',
    settings['mailer_autoconfirm'],
    !confirms,
    confirms
      ? "Addresses are not confirmed: anyone can sign up with another person's address."
      : 'Addresses must be confirmed, but config.toml does not require it.',
  )
}

/** The data API lists the schemas that it serves in the error for any other schema. */
async function checkSchemas(
  url: string,
  headers: Record<string, string>,
  config: Config,
  findings: Findings,
): Promise<void> {
  const response = await fetchText(`${url}/rest/v1/linnet_check`, {
    headers: { ...headers, 'accept-profile': 'linnet_check' },
  })
  const errorText = `${String(response?.json?.['message'] ?? '')} ${String(response?.json?.['hint'] ?? '')}`
  const listed = /following(?: schemas are exposed)?: (.*?)\s*$/.exec(errorText)?.[1]
  if (listed === undefined) {
    findings.reportUnchecked('schemas', 'The data API does not list the schemas that it serves.')
    return
  }
  const served = listed.split(',').map((name) => name.trim())
  const expected = exposedSchemas(config)
  for (const schema of expected) {
    if (served.includes(schema) || schema === 'graphql_public') continue
    findings.reportMissing('schemas', `The data API does not serve the schema ${schema}.`)
  }
  for (const schema of served) {
    if (expected.includes(schema) || schema === 'graphql_public') continue
    findings.reportMissing(
      'schemas',
      `The data API serves the schema ${schema}, which config.toml does not expose.`,
    )
  }
}

/** Storage states the limit of the project, which applies to each bucket, in the response to OPTIONS of TUS. */
async function checkUploadLimit(
  url: string,
  headers: Record<string, string>,
  config: Config,
  findings: Findings,
): Promise<void> {
  const response = await fetchText(`${url}/storage/v1/upload/resumable`, { method: 'OPTIONS', headers })
  const limit = Number(response?.headers.get('tus-max-size'))
  if (!(limit > 0)) {
    findings.reportUnchecked(
      'upload-limit',
      'The storage service does not state the largest file that it accepts.',
    )
    return
  }
  const expected = configuredSize(config, 'storage.file_size_limit', '50MiB')
  if (limit >= expected) return
  const mebibytes = (bytes: number): string => `${Math.floor(bytes / 1024 ** 2)} MiB`
  findings.reportMissing(
    'upload-limit',
    `Storage accepts files of at most ${mebibytes(limit)}, but config.toml has ${mebibytes(expected)}: larger files are refused, whatever the limit of their bucket. Raise the upload limit in the settings of Storage (50 MiB is the most on the free plan), or set file_size_limit in [storage] to the limit of the project.`,
  )
}

async function checkTopics(url: string, key: string, findings: Findings): Promise<void> {
  const outcome = await probePublicChannel(url, key)
  if (outcome === 'open') {
    findings.reportMissing(
      'topics',
      'Realtime allows public channels: anyone with the key can send there, without any policy. Disable "Allow public access" in the settings of Realtime.',
    )
  }
  if (outcome === 'unknown')
    findings.reportMissing('topics', 'Realtime does not accept a WebSocket with this key.')
}

/** Sends OPTIONS, the preflight request of browsers: it finds the function without running it. */
async function checkFunctions(
  url: string,
  headers: Record<string, string>,
  names: readonly string[],
  findings: Findings,
): Promise<void> {
  for (const name of names) {
    const response = await fetchText(`${url}/functions/v1/${name}`, { method: 'OPTIONS', headers })
    if (response === null || response.status === 404) {
      findings.reportMissing(
        'function',
        `The function ${name} is not deployed: npx supabase functions deploy ${name}`,
      )
    }
  }
}
