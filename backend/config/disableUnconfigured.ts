import { isTable, type ConfigTree } from './configTree.ts'

/**
 * Optional tables: OAuth providers, SMS services, the mail server. Protections (captcha, hooks) are not optional: without
 * them the server would admit more than its owner wants.
 */
const optionalTables: { path: string; names?: ReadonlySet<string> }[] = [
  { path: 'auth.external' },
  { path: 'auth.third_party' },
  {
    path: 'auth.sms',
    names: new Set(['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage']),
  },
  { path: 'auth.email', names: new Set(['smtp']) },
]

const unset = /^env\((.*)\)$/

/** Whether the table at this path can be disabled. */
export function isOptional(path: string[]): boolean {
  const [name] = path.slice(-1)
  return optionalTables.some(
    (group) => group.path === path.slice(0, -1).join('.') && (group.names?.has(name!) ?? true),
  )
}

/**
 * Disables each optional table that contains an unresolved `env(NAME)`, as the variable is not set.
 * Returns a warning for each.
 * @param describe returns the file and the line of a path
 */
export function disableUnconfigured(tree: ConfigTree, describe: (path: string) => string): string[] {
  return optionalTables.flatMap(({ path, names }) => {
    const [section, group] = path.split('.') as [string, string]
    const parent = isTable(tree[section]) ? tree[section][group] : undefined
    return Object.entries(isTable(parent) ? parent : {}).flatMap(([name, table]) => {
      if (!isTable(table) || names?.has(name) === false) return []
      const wasEnabled = isEnabled(table)
      const missing = Object.entries(table).flatMap(([key, value]) => {
        const variable = typeof value === 'string' ? unset.exec(value)?.[1] : undefined
        if (variable === undefined) return []
        delete table[key]
        return [variable]
      })
      if (!wasEnabled || missing.length === 0) return []
      table['enabled'] = false
      return [
        `${describe(`${path}.${name}`)}: ${path}.${name} is disabled, as these environment variables are not set: ${missing.join(', ')}.`,
      ]
    })
  })
}

/** The mail server is on once it has a host; everything else needs `enabled`. */
function isEnabled({ enabled, host }: ConfigTree): boolean {
  return enabled === undefined ? host !== undefined : enabled !== false
}
