import type { Client } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { runStatements } from './runStatements.ts'
import { readOneTimeFile, type OneTimeFile } from './seedFiles.ts'
import { splitStatements } from './splitStatements.ts'

/** What is recorded for a file that is wanted and has not run yet: no hash of a file is empty. */
const pending = ''

/** Notes files of new data, so that a start that fails halfway is followed by one that goes on. */
export async function registerOneTimeFiles(client: Client, files: OneTimeFile[]): Promise<void> {
  await client.query(
    `insert into supabase_migrations.seed_files (path, hash) select unnest($1::text[]), $2`,
    [files.map((file) => file.name), pending],
  )
}

/**
 * Runs those of the files that are wanted and have not run, each in a transaction of its own, and says of the
 * others what the CLI says: a file that changed since it ran does not run again, its new hash is taken over.
 * Answers how many ran. Throws MigrationError.
 */
export async function runOneTimeFiles(client: Client, files: OneTimeFile[], log: Logger): Promise<number> {
  let ran = 0
  const { rows } = await client.query<{ path: string; hash: string }>(
    'select path, hash from supabase_migrations.seed_files',
  )
  const recorded = new Map(rows.map((row) => [row.path, row.hash]))
  for (const file of files) {
    const hash = recorded.get(file.name)
    if (hash === pending) {
      await run(client, file, log)
      ran++
    } else {
      await logIfChanged(client, file, hash, log)
    }
  }
  return ran
}

async function run(client: Client, file: OneTimeFile, log: Logger): Promise<void> {
  const { sql, hash } = readOneTimeFile(file)
  await client.query('discard all')
  await runStatements({
    client,
    file: file.name,
    statements: splitStatements(sql),
    notice: (sentence) => log.warn('seed notice', { notice: sentence }),
    async record() {
      await client.query('reset role; reset search_path; select linnet_platform.assert_services_intact()')
      await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [
        file.name,
        hash,
      ])
    },
  })
  log.info('seeded', { file: file.name })
}

async function logIfChanged(
  client: Client,
  file: OneTimeFile,
  recorded: string | undefined,
  log: Logger,
): Promise<void> {
  if (recorded === undefined) {
    log.warn('seed not run', {
      file: file.name,
      why: 'it is newer than the data; "linnet reset" begins them anew with it',
    })
    return
  }
  const { hash } = readOneTimeFile(file)
  if (hash === recorded) return
  await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [file.name, hash])
  log.warn('seed not run', {
    file: file.name,
    why: 'it ran before it was changed; "linnet reset" begins the data anew with it',
  })
}
