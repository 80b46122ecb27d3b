import { existsSync, readFileSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { lockData } from '../postgres/server/dataLock.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { saveSecrets, secretsFile, type Secrets } from '../startup/secrets.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions, requireProject } from './findProject.ts'
import { commandName } from '../runtime/commandName.ts'

/**
 * Files that `reset` keeps, so that URLs and keys in the settings of other programs stay valid. `tls` has the certificate by
 * ACME: certificate authorities limit how many a name gets in a week.
 */
const preservedFiles = new Set([
  'secrets.json',
  'postgres-passwords.json',
  'linnet.toml',
  'settings.json',
  'tls',
  '.gitignore',
])

/** Secrets of the deleted workspace: the token of its setup link, and the name of its cookies. */
const workspaceSecrets = ['setupToken', 'installation'] as const

async function confirm(question: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('reset deletes all data. Confirm with --yes.')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const confirmation = await prompt.question(`${question} Type yes to confirm: `)
  prompt.close()
  return confirmation.trim() === 'yes'
}

/** Deletes all but the keys and the settings. PostgreSQL's files are renamed first: a partly deleted cluster would not start. */
function deleteData(dataDir: string): void {
  const data = join(dataDir, 'postgres')
  if (existsSync(data)) renameSync(data, join(dataDir, 'postgres.deleted'))
  for (const name of readdirSync(dataDir)) {
    if (!preservedFiles.has(name)) rmSync(join(dataDir, name), { recursive: true })
  }
  const secrets = JSON.parse(readFileSync(secretsFile(dataDir), 'utf8')) as Partial<Secrets>
  for (const name of workspaceSecrets) delete secrets[name]
  saveSecrets(dataDir, secrets)
}

/** `linnet reset`: deletes the data after confirmation or with `--yes`; with `--all` also the keys. */
export const reset = defineCommand({
  name: 'reset',
  group: 'Server',
  aliases: ['db reset'],
  summary: 'Delete all data; the next start creates a new database',
  help: `The next start creates the database from roles.sql, the migrations and the seed files.
It keeps linnet.toml, and the keys, the JWT secret and the database passwords, so that the
settings of other programs stay valid, settings.json, and the certificate by ACME; --all deletes
them too.`,
  options: {
    yes: { short: 'y', help: 'do not ask for confirmation' },
    all: { help: 'delete the keys, the settings and the directory too' },
    ...projectOptions,
  },
  async run({ dataDir, isInProject, options }) {
    if (options.data === undefined) requireProject({ isInProject })
    if (readRunningServer(dataDir) !== null)
      throw new UsageError(`A server is running on ${dataDir}. Stop it first: ${commandName()} stop`)
    if (!existsSync(dataDir)) {
      process.stderr.write(`${dataDir} does not exist.\n`)
      return 0
    }
    // `--data` may name any directory: only one that `linnet start` created is deleted.
    if (!existsSync(join(dataDir, 'secrets.json'))) {
      throw new UsageError(`${dataDir} is not a data directory of Linnet. Nothing was deleted.`)
    }
    const what = options.all ? 'everything including the keys' : 'everything except the keys'
    if (!options.yes && !(await confirm(`Delete ${what} in ${dataDir}?`))) {
      process.stderr.write('Nothing was deleted.\n')
      return 1
    }
    // A server that is still starting has the lock, but no running.json yet.
    await lockData(dataDir)
    if (options.all) rmSync(dataDir, { recursive: true })
    else deleteData(dataDir)
    process.stderr.write('Deleted. The next start creates a new database.\n')
    return 0
  },
})
