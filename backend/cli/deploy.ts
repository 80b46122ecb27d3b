import type { Report } from '../optional/deploy/Report.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { parseOrigin } from './readArguments.ts'
import { commandName } from '../runtime/commandName.ts'

function required(option: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(
    `${commandName()} deploy --check needs ${option}. See "${commandName()} deploy --help".`,
  )
}

function render({ missing, unchecked }: Report): string {
  const lines = missing.map(({ sentence }) => `- ${sentence}`)
  if (missing.length === 0) lines.push('Nothing is missing.')
  else
    lines.unshift(
      `${missing.length === 1 ? 'One thing is' : `${missing.length} things are`} missing or wrong:`,
    )
  if (unchecked.length > 0)
    lines.push('', 'Not checked:', ...unchecked.map(({ sentence }) => `- ${sentence}`))
  return `${lines.join('\n')}\n`
}

/** `linnet deploy --check`: the exit code is 0 if nothing is missing, else 1. */
export const deploy = defineCommand({
  name: 'deploy',
  group: 'Deployment',
  summary: 'List what is missing on a hosted or self-hosted Supabase project',
  help: `Compares the project with the migrations and the config.toml of this directory, without
changing it. "supabase db push", "config push" and "functions deploy" change it;
docs/hosted.md describes all steps.`,
  options: {
    check: { help: 'compare only (required)' },
    url: { value: 'URL', help: 'URL of the project, such as https://<ref>.supabase.co' },
    'db-url': { value: 'URL', help: 'connection string of its database (default: LINNET_DB_URL)' },
    key: { value: 'KEY', help: 'its publishable key, for requests to its services' },
    'access-token': {
      value: 'TOKEN',
      help: 'access token of your account, to read settings\n(default: SUPABASE_ACCESS_TOKEN)',
    },
    site: { value: 'URL', help: 'URL where the application is served' },
    json: { help: 'print JSON: {ok, missing, unchecked}' },
    ...projectOptions,
  },
  async run({ supabaseDir, options }) {
    if (!options.check) throw new UsageError(`${commandName()} deploy can only check. Use --check.`)
    const { checkDeployment } = await import('../optional/deploy/checkDeployment.ts')
    const report = await checkDeployment({
      supabaseDir,
      url: parseOrigin('--url', required('--url', options.url)),
      dbUrl: required('--db-url', options['db-url'] ?? process.env['LINNET_DB_URL']),
      key: options.key ?? null,
      accessToken: options['access-token'] ?? process.env['SUPABASE_ACCESS_TOKEN'] ?? null,
      site: options.site === undefined ? null : parseOrigin('--site', options.site),
    })
    const ok = report.missing.length === 0
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ ok, missing: report.missing, unchecked: report.unchecked })}\n`
        : render(report),
    )
    return ok ? 0 : 1
  },
})
