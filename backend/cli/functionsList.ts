import { loadConfig } from '../config/loadConfig.ts'
import { listFunctionSettings } from '../functions/load/functionSettings.ts'
import { readRunningServer } from '../startup/runningServer.ts'
import { defineCommand } from './Command.ts'
import { projectOptions } from './findProject.ts'
import { commandName } from '../runtime/commandName.ts'

/** `linnet functions list`: does not need a running server. */
export const functionsList = defineCommand({
  name: 'functions list',
  group: 'Functions',
  summary: 'List the functions of this project',
  help: 'Shows whether each function requires a token, and its URL if the server is running.',
  options: projectOptions,
  async run({ supabaseDir, dataDir }) {
    const functions = listFunctionSettings(loadConfig(supabaseDir, dataDir))
    const url = readRunningServer(dataDir)?.url
    const width = Math.max(0, ...functions.map(({ name }) => name.length))
    for (const { name, enabled, verifyJwt } of functions) {
      const access = !enabled ? 'disabled' : verifyJwt ? 'requires a token' : 'public'
      const where = url === undefined || !enabled ? '' : `  ${url}/functions/v1/${name}`
      console.log(`${name.padEnd(width)}  ${access.padEnd(16)}${where}`.trimEnd())
    }
    if (functions.length === 0)
      console.log(`There are no functions yet: ${commandName()} functions new <name>`)
    return 0
  },
})
