import type { Client } from 'pg'
import type { Logger } from '../../logging/logger.ts'
import { runStatements } from './runStatements.ts'
import { readOneTimeFile, type OneTimeFile } from './seedFiles.ts'
import { splitStatements } from './splitStatements.ts'

/** Recorded for a file that has not run yet: no hash of a file is empty. */
const pending = ''

/** Records the files to run for new data, so that a start after a failed one continues with them. */
export async function registerOneTimeFiles(client: Client, files: OneTimeFile[]): Promise<void> {
  await client.query(
    `insert into supabase_migrations.seed_files (path, hash) select unnest($1::text[]), $2`,
    [files.map((file) => file.name), pending],
  )
}

/**
 * Runs the registered files that have not run, each in a transaction of its own, and warns about the others as the CLI
 * does: a file that changed since it ran does not run again, but its new hash is recorded. Returns how many ran.
 * Throws MigrationError.
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
    notice: (sentence) => log.warn('schema.seed_notice', { notice: sentence }),
    async record() {
      await client.query('reset role; reset search_path; select linnet_platform.assert_services_intact()')
      await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [
        file.name,
        hash,
      ])
    },
  })
  log.info('schema.seed_applied', { file: file.name })
}

async function logIfChanged(
  client: Client,
  file: OneTimeFile,
  recorded: string | undefined,
  log: Logger,
): Promise<void> {
  if (recorded === undefined) {
    log.warn('schema.seed_skipped', {
      file: file.name,
      reason: 'it was added after the database was created, and seed files run only on a new database',
    })
    return
  }
  const { hash } = readOneTimeFile(file)
  if (hash === recorded) return
  await client.query('update supabase_migrations.seed_files set hash = $2 where path = $1', [file.name, hash])
  log.warn('schema.seed_skipped', {
    file: file.name,
    reason: 'it was changed after it ran, and seed files run only on a new database',
  })
}
