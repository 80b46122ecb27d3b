import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { lockData } from '../postgres/server/dataLock.ts'
import { readRunning } from '../startup/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions, requireProject } from './findProject.ts'
import { UsageError } from './UsageError.ts'

/** What stays, so that addresses and keys in other programs' settings go on working. */
const kept = new Set(['secrets.json', 'postgres-passwords.json', '.gitignore'])

/** Those that stand for one workspace: its set-up link, and the cookies of its people. */
const ofOneWorkspace = ['setupToken', 'installation']

async function isMeant(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError('reset deletes what the data folder holds: say --yes to mean it.')
  const prompt = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await prompt.question(`${question} Type yes to do it: `)
  prompt.close()
  return answer.trim() === 'yes'
}

/** Deletes all but the keys. PostgreSQL's files go by one rename first: half of them would be worse than none. */
function deleteData(dataDir: string): void {
  const data = join(dataDir, 'postgres')
  if (existsSync(data)) renameSync(data, join(dataDir, 'postgres.deleted'))
  for (const name of readdirSync(dataDir)) {
    if (!kept.has(name)) rmSync(join(dataDir, name), { recursive: true })
  }
  const file = join(dataDir, 'secrets.json')
  const secrets = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  for (const name of ofOneWorkspace) delete secrets[name]
  writeFileSync(`${file}.new`, `${JSON.stringify(secrets, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** `linnet reset`: deletes the data, after a "yes" typed by a person or `--yes`; its keys too with `--all`. */
export const reset = defineCommand({
  name: 'reset',
  group: 'The house',
  aliases: ['db reset'],
  summary: 'Delete the data, so that the next start begins anew',
  help: `The next start makes the database from roles.sql, the migrations and the seed files.
Keys, the JWT secret and the database's passwords stay, so that the settings of other
programs still fit; --all deletes them too.`,
  options: {
    yes: { short: 'y', help: 'do not ask' },
    all: { help: 'the keys and the folder as well' },
    ...placeOptions,
  },
  async run({ dataDir, inProject, options }) {
    if (options.data === undefined) requireProject({ inProject })
    if (readRunning(dataDir) !== null)
      throw new UsageError(`Linnet runs on ${dataDir}. Stop it first: linnet stop`)
    if (!existsSync(dataDir)) {
      process.stderr.write(`There are no data in ${dataDir}.\n`)
      return 0
    }
    // `--data` might name any folder: only one that a start has made is ever deleted.
    if (!existsSync(join(dataDir, 'secrets.json'))) {
      throw new UsageError(`${dataDir} is no data folder of Linnet. Nothing was deleted.`)
    }
    const what = options.all ? 'everything, keys included,' : 'everything but the keys'
    if (!options.yes && !(await isMeant(`Delete ${what} in ${dataDir}?`))) {
      process.stderr.write('Nothing was deleted.\n')
      return 1
    }
    // A server that still starts has the lock too, and no address yet.
    await lockData(dataDir)
    if (options.all) rmSync(dataDir, { recursive: true })
    else deleteData(dataDir)
    process.stderr.write('Deleted. The next start begins anew.\n')
    return 0
  },
})
