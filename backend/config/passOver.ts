import { isTable, type ConfigTree } from './readTree.ts'

/**
 * Tables that a server can do without: other services' accounts, text messages, a mail server. Not among them is what
 * guards something (captcha, hooks): without it, a server would admit more than its owner wants.
 */
const groups: { path: string; names?: ReadonlySet<string> }[] = [
  { path: 'auth.external' },
  { path: 'auth.third_party' },
  {
    path: 'auth.sms',
    names: new Set(['twilio', 'twilio_verify', 'messagebird', 'textlocal', 'vonage']),
  },
  { path: 'auth.email', names: new Set(['smtp']) },
]

const unset = /^env\((.*)\)$/

/** Whether the table at this path may be passed over. */
export function isDispensable(path: string[]): boolean {
  const [name] = path.slice(-1)
  return groups.some(
    (group) => group.path === path.slice(0, -1).join('.') && (group.names?.has(name!) ?? true),
  )
}

/**
 * Switches off each provider that needs a variable that is not set, where `env(NAME)` still stands.
 * Returns a sentence for each.
 */
export function passOver(tree: ConfigTree): string[] {
  return groups.flatMap(({ path, names }) => {
    const [section, group] = path.split('.') as [string, string]
    const parent = isTable(tree[section]) ? tree[section][group] : undefined
    return Object.entries(isTable(parent) ? parent : {}).flatMap(([name, table]) => {
      if (!isTable(table) || names?.has(name) === false) return []
      const wasOn = isOn(table)
      const missing = Object.entries(table).flatMap(([key, value]) => {
        const variable = typeof value === 'string' ? unset.exec(value)?.[1] : undefined
        if (variable === undefined) return []
        delete table[key]
        return [variable]
      })
      if (!wasOn || missing.length === 0) return []
      table['enabled'] = false
      return [`${path}.${name} is passed over, as these variables are not set: ${missing.join(', ')}.`]
    })
  })
}

/** A mail server is on once it has a host; everything else is on when it is switched on. */
function isOn({ enabled, host }: ConfigTree): boolean {
  return enabled === undefined ? host !== undefined : enabled !== false
}
