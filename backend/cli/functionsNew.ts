import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { loadConfig } from '../config/loadConfig.ts'
import { isFunctionName, readFunctionSettings } from '../functions/load/functionSettings.ts'
import { readRunning } from '../startup/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions, requireProject } from './findProject.ts'
import { functionSection, functionTemplate } from './functionTemplate.ts'
import { UsageError } from './UsageError.ts'

/** `linnet functions new`: the files of a function, and its section in config.toml. */
export const functionsNew = defineCommand({
  name: 'functions new',
  group: 'Functions',
  summary: 'Begin a function',
  help: `Writes index.ts and deno.json below supabase/functions and adds the function to
config.toml. A server that runs serves it at once.`,
  args: ['<name>'],
  options: placeOptions,
  async run({ supabaseDir, dataDir, inProject, args: [name = ''] }) {
    requireProject({ inProject })
    if (!isFunctionName(name)) {
      throw new UsageError(
        `A function's name begins with a letter and goes on with letters, digits, _ and -, unlike "${name}".`,
      )
    }
    const config = loadConfig(supabaseDir)
    const folder = join(supabaseDir, 'functions', name)
    const shown = (path: string): string => relative(process.cwd(), path)
    if (existsSync(folder)) throw new UsageError(`There is a function ${name} already: ${shown(folder)}`)
    if (readFunctionSettings(config, name) !== null)
      throw new UsageError(`config.toml has a section [functions.${name}] already. Take it out first.`)
    const house = readRunning(dataDir)?.url ?? `http://127.0.0.1:${config.at('api.port', 4280)}`
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(functionTemplate(`${house}/functions/v1/${name}`))) {
      writeFileSync(join(folder, file), text, { flag: 'wx' })
    }
    appendFileSync(join(supabaseDir, 'config.toml'), functionSection(name))
    console.log(`Written: ${shown(join(folder, 'index.ts'))}`)
    return 0
  },
})
