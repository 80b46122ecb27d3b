import { fail } from './checkout.mjs'
import { startOptions } from './help.mjs'

/** The options of `linnet start` that npm has too. Its configuration may set them for other reasons. */
const optionsOfNpm = new Set(['json'])

/**
 * Ends the process with a message if npm has taken options of `linnet start` for its own, as in `npm start --demo`. npm only puts
 * them into the environment of the script, so that another server would start than the one that the person has requested.
 */
export function refuseSwallowedOptions(env = process.env) {
  if (env['npm_lifecycle_event'] !== 'start') return
  const swallowed = [...startOptions()].flatMap(([name, takesValue]) => {
    const value = env[`npm_config_${name.replaceAll('-', '_')}`]
    if (value === undefined || optionsOfNpm.has(name)) return []
    // npm passes a value after a space to the script, as an argument.
    return [!takesValue ? `--${name}` : `--${name} ${value === 'true' ? '…' : value}`]
  })
  if (swallowed.length === 0) return
  fail(
    `npm has taken these options for its own: ${swallowed.join(', ')}. Write "--" before them: npm start -- ${swallowed.join(' ')}`,
  )
}
