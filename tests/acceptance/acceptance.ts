import { spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs, stripVTControlCharacters } from 'node:util'

const help = `Usage: npm run acceptance -- [--url URL --anon-key KEY --service-key KEY] [WORD…]

Runs the acceptance tests, which speak only through the official client libraries, fetch and WebSocket.
Without options they run against a server that they start. With options they run against any Supabase project,
and print what it does differently. They create users and buckets named acceptance-…, and delete them.

Cases on tables need the migration in tests/acceptance/supabase/migrations, cases on functions the function beside it,
in that project; without them these cases are skipped, as are cases that depend on the server's configuration.

  --url          the project's address, such as https://abc.supabase.co   [LINNET_URL]
  --anon-key     its public key                                           [LINNET_ANON_KEY]
  --service-key  its secret key                                           [LINNET_SERVICE_KEY]`

interface Report {
  numPassedTests: number
  numFailedTests: number
  numPendingTests: number
  testResults: {
    name: string
    status: string
    message: string
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[]
  }[]
}

/** `npm run acceptance` runs the acceptance tests against one server. Returns 0 if every case that ran passed. */
export async function main(args: string[], root: string): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      url: { type: 'string' },
      'anon-key': { type: 'string' },
      'service-key': { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) {
    console.log(help)
    return 0
  }
  const env = {
    ...process.env,
    ...(values.url && { LINNET_URL: values.url }),
    ...(values['anon-key'] && { LINNET_ANON_KEY: values['anon-key'] }),
    ...(values['service-key'] && { LINNET_SERVICE_KEY: values['service-key'] }),
  }
  const dir = mkdtempSync(join(tmpdir(), 'linnet-acceptance-report-'))
  const file = join(dir, 'report.json')
  try {
    const child = spawn(
      process.execPath,
      [
        join(root, 'node_modules/vitest/vitest.mjs'),
        'run',
        '--project',
        'acceptance',
        ...positionals,
        '--reporter=json',
        `--outputFile.json=${file}`,
      ],
      { cwd: root, env, stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const code = await new Promise<number>((resolve) => child.once('close', (status) => resolve(status ?? 1)))
    return print(JSON.parse(readFileSync(file, 'utf8')) as Report) ? code : 1
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Prints the differences, then the counts. Returns whether every case that ran passed. */
function print(report: Report): boolean {
  for (const { name, status, message, assertionResults } of report.testResults) {
    const failed = assertionResults.filter((result) => result.status === 'failed')
    for (const { fullName, failureMessages } of failed) {
      const reason = stripVTControlCharacters(failureMessages[0] ?? '')
        .split('\n    at ')[0]!
        .trim()
      console.log(`Different: ${fullName}\n  ${reason.replaceAll('\n', '\n  ')}\n`)
    }
    if (failed.length === 0 && status === 'failed')
      console.log(`Not run: ${name}\n  ${stripVTControlCharacters(message)}\n`)
  }
  console.log(
    `${report.numPassedTests} alike, ${report.numFailedTests} different, ${report.numPendingTests} skipped`,
  )
  return report.testResults.every(({ status }) => status !== 'failed')
}
