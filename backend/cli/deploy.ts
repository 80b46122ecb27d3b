import { checkDeployment } from '../extras/deploy/checkDeployment.ts'
import type { Report } from '../extras/deploy/Report.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'
import { originOf } from './originOf.ts'
import { UsageError } from './UsageError.ts'

function required(option: string, value: string | undefined): string {
  if (value !== undefined) return value
  throw new UsageError(`linnet deploy --check needs ${option}. See "linnet deploy --help".`)
}

function render({ missing, unseen }: Report): string {
  const lines = missing.map(({ sentence }) => `- ${sentence}`)
  if (missing.length === 0) lines.push('All well: nothing is missing.')
  else
    lines.unshift(
      `${missing.length === 1 ? 'One thing is' : `${missing.length} things are`} missing or wrong:`,
    )
  if (unseen.length > 0)
    lines.push('', 'Not to be seen from here:', ...unseen.map(({ sentence }) => `- ${sentence}`))
  return `${lines.join('\n')}\n`
}

/** `linnet deploy --check`: answers 0 where nothing is missing, 1 where something is. */
export const deploy = defineCommand({
  name: 'deploy',
  group: 'Moving',
  summary: 'Say what is missing on a hosted or self-hosted Supabase project',
  help: `It compares the project with the migrations and the config.toml of this folder, and
changes nothing there. "supabase db push", "config push" and "functions deploy" do;
docs/hosted.md tells the whole way.`,
  options: {
    check: { help: 'what it does; has to be said, since it does nothing else' },
    url: { value: 'URL', help: 'of the project, such as https://<ref>.supabase.co' },
    'db-url': { value: 'URL', help: 'postgresql://… of its database; else in LINNET_DB_URL' },
    key: { value: 'KEY', help: 'its publishable key, to ask the services' },
    'access-token': {
      value: 'TOKEN',
      help: 'of your account, to read settings; else in\nSUPABASE_ACCESS_TOKEN',
    },
    site: { value: 'URL', help: 'where the application is served' },
    json: { help: 'for programs: {well, missing, unseen}' },
    ...placeOptions,
  },
  async run({ supabaseDir, options }) {
    if (!options.check) throw new UsageError('linnet deploy changes nothing yet: ask it with --check.')
    const report = await checkDeployment({
      supabaseDir,
      url: originOf('--url', required('--url', options.url)),
      dbUrl: required('--db-url', options['db-url'] ?? process.env['LINNET_DB_URL']),
      key: options.key ?? null,
      accessToken: options['access-token'] ?? process.env['SUPABASE_ACCESS_TOKEN'] ?? null,
      site: options.site === undefined ? null : originOf('--site', options.site),
    })
    const well = report.missing.length === 0
    process.stdout.write(
      options.json
        ? `${JSON.stringify({ well, missing: report.missing, unseen: report.unseen })}\n`
        : render(report),
    )
    return well ? 0 : 1
  },
})
