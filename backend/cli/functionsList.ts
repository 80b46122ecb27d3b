import { loadConfig } from '../config/loadConfig.ts'
import { listFunctionSettings } from '../functions/load/functionSettings.ts'
import { readRunning } from '../startup/running.ts'
import { defineCommand } from './Command.ts'
import { placeOptions } from './findProject.ts'

/** `linnet functions list`: those of the project, whether or not a server runs. */
export const functionsList = defineCommand({
  name: 'functions list',
  group: 'Functions',
  summary: 'Say which functions there are',
  help: 'The functions of this project, what each asks of a caller, and where it answers.',
  options: placeOptions,
  async run({ supabaseDir, dataDir }) {
    const functions = listFunctionSettings(loadConfig(supabaseDir))
    const url = readRunning(dataDir)?.url
    const width = Math.max(0, ...functions.map(({ name }) => name.length))
    for (const { name, enabled, verifyJwt } of functions) {
      const asks = !enabled ? 'switched off' : verifyJwt ? 'asks for a token' : 'open to everyone'
      const where = url === undefined || !enabled ? '' : `  ${url}/functions/v1/${name}`
      console.log(`${name.padEnd(width)}  ${asks.padEnd(16)}${where}`.trimEnd())
    }
    if (functions.length === 0) console.log('There are no functions yet: linnet functions new <name>')
    return 0
  },
})
