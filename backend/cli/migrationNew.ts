import { fstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { listMigrations } from '../postgres/schema/migrationFiles.ts'
import { defineCommand } from './Command.ts'
import { placeOptions, requireProject } from './findProject.ts'
import { UsageError } from './UsageError.ts'

/** What another program or a file gives; nothing from a person's terminal or where there is no input. */
function readInput(): string {
  const input = fstatSync(0)
  return input.isFIFO() || input.isFile() || input.isSocket() ? readFileSync(0, 'utf8') : ''
}

/** Now as `20260131235959`, UTC; later than every version there is, whatever clock those were made by. */
function nextVersion(versions: string[]): string {
  const now = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
  const last = versions.at(-1) ?? ''
  return last < now ? now : String(BigInt(last) + 1n).padStart(last.length, '0')
}

/** `linnet migration new`: an empty file, or one with what is piped in. */
export const migrationNew = defineCommand({
  name: 'migration new',
  group: 'The database',
  summary: 'Make a migration, of what is piped in where something is',
  args: ['<name>'],
  options: { supabase: placeOptions.supabase },
  async run({ supabaseDir, inProject, args: [name = ''] }) {
    requireProject({ inProject })
    const tidied = name.trim().replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    if (!/[A-Za-z0-9]/.test(tidied)) throw new UsageError(`"${name}" has no letter to name a file by.`)
    const versions = listMigrations(supabaseDir).migrations.map((migration) => migration.version)
    const file = join(supabaseDir, 'migrations', `${nextVersion(versions)}_${tidied}.sql`)
    mkdirSync(join(supabaseDir, 'migrations'), { recursive: true })
    writeFileSync(file, readInput(), { flag: 'wx' })
    process.stdout.write(`${file}\n`)
    return 0
  },
})
