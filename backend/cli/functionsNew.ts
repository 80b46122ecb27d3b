import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { findConfigFile } from '../config/configFile.ts'
import { loadConfig } from '../config/loadConfig.ts'
import { isFunctionName, readFunctionSettings } from '../functions/load/functionSettings.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { UsageError, defineCommand } from './Command.ts'
import { projectOptions, requireProject } from './findProject.ts'
import { functionSection, functionTemplate } from './functionTemplate.ts'

/** `linnet functions new`: creates the files of a function and its section in config.toml. */
export const functionsNew = defineCommand({
  name: 'functions new',
  group: 'Functions',
  summary: 'Create a function',
  help: `Writes index.ts and deno.json below supabase/functions and adds the function to
config.toml. A running server serves it immediately.`,
  args: ['<name>'],
  options: projectOptions,
  async run({ supabaseDir, dataDir, isInProject, args: [name = ''] }) {
    requireProject({ isInProject })
    if (!isFunctionName(name)) {
      throw new UsageError(
        `"${name}" is not a valid name: a function's name starts with a letter, followed by letters, digits, _ and -.`,
      )
    }
    const config = loadConfig(supabaseDir)
    const folder = join(supabaseDir, 'functions', name)
    const relativePath = (path: string): string => relative(process.cwd(), path)
    if (existsSync(folder))
      throw new UsageError(`The function ${name} already exists: ${relativePath(folder)}`)
    if (readFunctionSettings(config, name) !== null)
      throw new UsageError(`config.toml already contains a section [functions.${name}]. Remove it first.`)
    const baseUrl = readRunningServer(dataDir)?.url ?? `http://127.0.0.1:${config.at('api.port', 4280)}`
    mkdirSync(folder, { recursive: true })
    for (const [file, text] of Object.entries(functionTemplate(`${baseUrl}/functions/v1/${name}`))) {
      writeFileSync(join(folder, file), text, { flag: 'wx' })
    }
    const file = findConfigFile(supabaseDir)
    if (file.endsWith('.toml')) appendFileSync(file, functionSection(name))
    else console.log(`Add "${name}" to "functions" of ${relativePath(file)} if it needs settings.`)
    console.log(`Created: ${relativePath(join(folder, 'index.ts'))}`)
    return 0
  },
})
